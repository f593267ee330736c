#pragma once
// A time for every way, for policies that evict the oldest: a clock that goes on with every stamp.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cachesim/l1/replacement_policy.h"

namespace warpscope {

class TimeStamps {
 public:
  explicit TimeStamps(const PolicyGeometry& geometry)
      : ways_(geometry.ways), stamps_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { std::fill(stamps_.begin(), stamps_.end(), 0); }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = ++clock_; }
  void on_remove(const Reference&) {}
  /// The way with the oldest stamp.
  WayIndex victim(const Reference& reference) {
    const std::uint64_t* stamps = row(reference);
    return WayIndex(static_cast<std::uint32_t>(std::min_element(stamps, stamps + ways_) - stamps));
  }

 private:
  std::uint64_t* row(const Reference& reference) {
    return &stamps_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> stamps_;
};

}  // namespace warpscope
