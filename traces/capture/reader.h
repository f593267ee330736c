#pragma once
// Reads a capture, whole or truncated, with bounded memory.
#include <memory>
#include <string>
#include <vector>

#include "traces/program/capture.h"
#include "traces/program/machine_code.h"
#include "traces/program/shared_group.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

class CaptureReader {
 public:
  /// `path` "-" spools standard input to an unnamed temporary file. Throws InputError when the file is
  /// missing, empty, not a capture, of a newer version, damaged, or cut short. With `partial`, a cut file is
  /// opened up to its last complete chunk and is_partial() says so.
  explicit CaptureReader(const std::string& path, bool partial = false);
  ~CaptureReader();
  CaptureReader(const CaptureReader&) = delete;
  CaptureReader& operator=(const CaptureReader&) = delete;

  [[nodiscard]] const LaunchList& launches() const;
  [[nodiscard]] const SharedList<BufferInfo>& buffers() const;  ///< sorted by allocation; id = position + 1
  /// Cut short, or the program ended before all its launches did: some launch holds fewer work-groups than
  /// its sampling selects.
  [[nodiscard]] bool is_partial() const;
  [[nodiscard]] const std::string& hash()
      const;  ///< 16 hex digits over all chunks' checksums: the capture's identity
  [[nodiscard]] const nlohmann::json& file_header() const;
  /// What the file says about what is not in it ("not_traced": [{"launches", "why"}]); null where nothing.
  [[nodiscard]] const nlohmann::json& notes() const;
  /// The machine code of a launch's kernel; nothing: it is not of machine code, or was cut short. Throws InputError on damage.
  [[nodiscard]] std::optional<MachineCode> machine_code(LaunchId launch) const;
  /// How often the whole launch executed each of its instructions; empty without machine_code().
  [[nodiscard]] std::vector<InstructionTotals> totals(LaunchId launch) const;
  /// Work-groups present of a launch, ascending.
  [[nodiscard]] const std::vector<WorkGroupId>& groups(LaunchId launch) const;
  /// How many bytes the file has of each of groups(), in the same order.
  [[nodiscard]] const std::vector<std::uint32_t>& stored_bytes(LaunchId launch) const;
  /// Reads, checks and decodes one work-group. Thread-safe. Throws InputError on damage.
  [[nodiscard]] WorkGroupTrace read(LaunchId launch, WorkGroupId group) const;
  /// The same for a replay; `memory` is that of the launch and of the calling thread.
  [[nodiscard]] SharedGroup read(LaunchId launch, WorkGroupId group, FormMemory& memory) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True when the file at `path` starts with a capture's magic bytes.
bool looks_like_capture(std::span<const std::uint8_t> first_bytes);

}  // namespace warpscope
