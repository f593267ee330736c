#pragma once
// Writes a capture: NAME.part while it grows, NAME once it is sorted and indexed.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/program/capture.h"
#include "traces/program/machine_code.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

class CaptureWriter {
 public:
  struct Options {
    std::string options_text;  ///< options of the recording, for the file's header
    int compression_level = 1;
    std::string device_like = {};  ///< GPU whose limits the program saw, for the header; empty = no program
    std::uint64_t size_limit = 0;  ///< bytes; 0 = none. Beyond it, writing throws InputError
    /// File that keeps what is not written yet, so that nothing is lost however the process ends; the file is
    /// then finished by finish_part() (traces/capture/capture_finish.h). Empty: none.
    std::string journal = {};
    bool keeps_part = true;  ///< whether the .part file stays without finish()
    /// Goes on with a .part file of one launch, if there is one: add_buffer() and add_launch() then write nothing, but
    /// throw InputError unless it has the same.
    bool goes_on = false;
    bool has_walks = false;  ///< of machine code, whose work-groups have walks
  };
  /// Opens `path`.part. `path` "-" spools to an unnamed temporary file and copies to standard output at the
  /// end.
  CaptureWriter(const std::string& path, const Options& options);
  ~CaptureWriter();  ///< without finish(): the .part file stays, readable up to its last complete chunk
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  /// Before the first work-group of a launch; buffers first seen in this launch first. Not thread-safe.
  void add_buffer(const BufferInfo& buffer);
  /// With `shares`: an earlier launch whose kernel, build options, optimisation, source and its name are the
  /// same; they are not written again.
  void add_launch(const LaunchInfo& launch, std::optional<LaunchId> shares = {});
  /// Compresses and appends one work-group. Thread-safe; the order of calls does not change the finished
  /// file.
  void add_work_group(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload);
  /// A work-group whose payload is too large for the memory: its pieces from the first (`part` 0) to the last, then
  /// end_parts(). Thread-safe, but for the pieces of one work-group.
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t part, std::span<const std::uint8_t> bytes);
  void end_parts(LaunchId launch, WorkGroupId group);
  /// After the last work-group of a launch of machine code: its kernel's code, and how often it was executed. Code that an earlier launch
  /// has is not written again.
  void add_machine_code(LaunchId launch, const MachineCode& code, std::span<const InstructionTotals> totals);
  static constexpr std::size_t kLargestChunk = 1u << 30;  ///< bytes of a payload that is stored in one piece
  /// Sorts the chunks by (launch, work-group) in bounded memory, appends the index, renames to the final
  /// name. Throws InputError (full disk, unwritable) and then leaves no file under the final name.
  /// `notes`: what the file says about what is not in it (CaptureReader::notes()); null: nothing.
  void finish(const nlohmann::json& notes = {});
  [[nodiscard]] std::uint64_t bytes_written() const;
  /// The work-groups with which it went on, ascending.
  [[nodiscard]] std::vector<WorkGroupId> found() const;
  /// In a forked child: gives up the file, which belongs to the parent process. Nothing but that may be done
  /// with a writer in the child.
  void leave_to_parent();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
