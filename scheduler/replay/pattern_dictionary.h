#pragma once
// Lane patterns that recur get one object and one id, so that a coalescer can remember what it derived from
// them.
#include <cstdint>
#include <deque>
#include <vector>

#include "traces/stream/warp_access.h"

namespace warpscope {

/// A pattern with its id (WarpAccess::pattern_id).
struct KnownPattern {
  LanePattern pattern;
  std::uint32_t id = 0;  ///< number from new_pattern_id()
};

class PatternDictionary {
 public:
  /// Bound on the dictionary's memory: about 560 bytes per pattern.
  static constexpr std::size_t kCapacity = 16384;

  PatternDictionary();
  PatternDictionary(const PatternDictionary&) = delete;
  PatternDictionary& operator=(const PatternDictionary&) = delete;

  /// The known pattern equal to `pattern`, added if it is new; null when it is new and the dictionary is
  /// full.
  const KnownPattern* intern(const LanePattern& pattern);
  /// The pattern in which only `lane` takes part. `lane` < kMaxWarpSize.
  [[nodiscard]] const KnownPattern* single(unsigned lane) const { return &patterns_[lane]; }

 private:
  std::deque<KnownPattern> patterns_;   ///< stable addresses; the first kMaxWarpSize are the single lanes
  std::vector<std::uint32_t> buckets_;  ///< open addressing: index + 1 into patterns_, 0 = free
};

}  // namespace warpscope
