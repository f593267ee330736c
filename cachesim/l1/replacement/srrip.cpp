// Static re-reference interval prediction with hit priority, M = 2 bits.
// Jaleel, Theobald, Steely, Emer: High Performance Cache Replacement Using Re-Reference Interval Prediction
// (RRIP), ISCA 2010, DOI 10.1145/1815961.1815971. Their RRPV -> interval_: 3 = distant, 2 = long,
// 0 = near-immediate.
//   fill    RRPV = 2^M - 2 = 2
//   hit     RRPV = 0
//   victim  the lowest way with RRPV 3; if there is none, all RRPVs go up by one and the search starts again
#include <algorithm>

#include "cachesim/l1/policy_cache.h"

namespace warpscope {
namespace {

class Srrip {
 public:
  explicit Srrip(const PolicyGeometry& geometry)
      : ways_(geometry.ways), interval_(std::size_t{geometry.sets} * geometry.ways) {
    reset();
  }
  void reset() { std::fill(interval_.begin(), interval_.end(), kDistant); }
  void on_hit(const Reference& reference) { row(reference)[reference.way.value()] = 0; }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = kLong; }
  void on_remove(const Reference& reference) { row(reference)[reference.way.value()] = kDistant; }
  WayIndex victim(const Reference& reference) {
    std::uint8_t* intervals = row(reference);
    std::uint8_t* farthest = std::max_element(intervals, intervals + ways_);
    const auto step = static_cast<std::uint8_t>(kDistant - *farthest);
    for (std::uint32_t way = 0; way < ways_; ++way)
      intervals[way] = static_cast<std::uint8_t>(intervals[way] + step);
    return WayIndex(static_cast<std::uint32_t>(farthest - intervals));
  }

 private:
  static constexpr std::uint8_t kDistant = 3, kLong = 2;
  std::uint8_t* row(const Reference& reference) {
    return &interval_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::vector<std::uint8_t> interval_;  ///< [set][way]
};

}  // namespace

WARPSCOPE_REPLACEMENT(srrip, Srrip)

}  // namespace warpscope
