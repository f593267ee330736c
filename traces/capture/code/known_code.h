#pragma once
// Which launch of a capture that is written has the machine code that another one executed, too.
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "traces/base/types.h"
#include "traces/program/machine_code.h"

namespace warpscope {

/// The codes that a capture has so far. Keeps each once, in memory that is shared with whoever made it.
class KnownCode {
 public:
  /// The launch that was added with the same instructions and blocks; what depended on the order of warps is no part of them.
  [[nodiscard]] std::optional<LaunchId> find(const MachineCode& code) const;
  /// `launch` has `code`, which find() does not know.
  void add(LaunchId launch, const MachineCode& code);

 private:
  struct Entry {
    LaunchId launch;
    MachineCode code;
  };
  using Identity = std::pair<const void*, const void*>;
  std::map<Identity, LaunchId> by_identity_;  ///< most launches are of a kernel that was described once
  std::multimap<std::uint64_t, Entry> by_content_;
};

}  // namespace warpscope
