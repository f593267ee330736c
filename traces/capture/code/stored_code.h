#pragma once
// Where a capture that is read has the machine code of its launches, and how often they executed it.
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/code/code_sections.h"
#include "traces/files/extent_copier.h"
#include "traces/files/section.h"
#include "traces/program/machine_code.h"

namespace warpscope {

class StoredCode {
 public:
  /// The file.
  struct Source {
    std::string path;  ///< for messages
    std::function<std::string(Extent, std::uint32_t tag)>
        read;  ///< payload of a section with this tag, checked
  };

  /// A CODE or EXEC section of the file.
  void add(const SectionHeader& header, std::uint64_t offset);
  /// Of a launch: its own code, or that of the launch to which it refers; nothing without a CODE section. Thread-safe. Throws InputError
  /// "PATH: byte N: …" on damage.
  [[nodiscard]] std::optional<MachineCode> code(LaunchId launch, const Source& source) const;
  /// Payload of EXEC, decoded; empty without one. Throws as code() does.
  [[nodiscard]] std::vector<InstructionTotals> totals(LaunchId launch, const Source& source) const;

 private:
  struct Place {
    Extent extent;
    std::optional<LaunchId> owner;  ///< of the code, if it is another launch
  };
  [[nodiscard]] MachineCode load(LaunchId launch, const Place& place, const Source& source) const;
  [[nodiscard]] const Place& place_of(LaunchId owner, LaunchId launch, const std::string& where) const;

  std::map<LaunchId, Place> code_;
  std::map<LaunchId, Place> totals_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<LaunchId, MachineCode>>
      loaded_;  ///< the last ones, most recent first; under the mutex
};

}  // namespace warpscope
