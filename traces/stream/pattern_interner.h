#pragma once
// Gives lane patterns that recur one object and one id, so that consumers can cache by
// WarpAccess::pattern_id.
#include <cstdint>
#include <deque>
#include <vector>

#include "traces/stream/warp_access.h"

namespace warpscope {

/// A number that no other pattern of this process has had: consumers keep what they derive from a pattern
/// over launches, inputs and threads. 0, "not cacheable", once 2^32 - 1 are given out. Any thread may call
/// it.
std::uint32_t new_pattern_id();

class PatternInterner {
 public:
  struct Known {
    LanePattern pattern;
    std::uint32_t id = 0;  ///< see new_pattern_id()
  };

  /// Bounds the memory: about 560 bytes per pattern.
  static constexpr std::size_t kCapacity = 16384;

  PatternInterner();
  /// The object for a pattern equal to `pattern`, stable until this is destroyed; null when it is new and
  /// there is no room.
  const Known* intern(const LanePattern& pattern);

 private:
  std::deque<Known> known_;
  std::vector<std::uint32_t> buckets_;  ///< open addressing: index + 1 into known_, 0 = free
};

}  // namespace warpscope
