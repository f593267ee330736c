#pragma once
// Uses of every line since it came in: 1 at the fill, one more per hit. What LFU and MFU choose by.
#include <algorithm>
#include <vector>

#include "cachesim/l1/replacement_policy.h"

namespace warpscope {

class UseCounts {
 public:
  explicit UseCounts(const PolicyGeometry& geometry)
      : ways_(geometry.ways), uses_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { std::fill(uses_.begin(), uses_.end(), 0); }
  void on_hit(const Reference& reference) { ++row(reference)[reference.way.value()]; }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = 1; }
  void on_remove(const Reference&) {}

 protected:
  [[nodiscard]] std::span<const std::uint64_t> uses(const Reference& reference) {
    return {row(reference), ways_};
  }

 private:
  std::uint64_t* row(const Reference& reference) {
    return &uses_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::vector<std::uint64_t> uses_;
};

}  // namespace warpscope
