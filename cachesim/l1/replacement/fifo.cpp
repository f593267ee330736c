// First in, first out: the line that came in first goes; uses do not matter.
#include <algorithm>

#include "cachesim/l1/policy_cache.h"

namespace warpscope {
namespace {

class Fifo {
 public:
  explicit Fifo(const PolicyGeometry& geometry)
      : ways_(geometry.ways), came_in_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { std::fill(came_in_.begin(), came_in_.end(), 0); }
  void on_hit(const Reference&) {}
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = ++clock_; }
  void on_remove(const Reference&) {}
  WayIndex victim(const Reference& reference) {
    const std::uint64_t* stamps = row(reference);
    return WayIndex(static_cast<std::uint32_t>(std::min_element(stamps, stamps + ways_) - stamps));
  }

 private:
  std::uint64_t* row(const Reference& reference) {
    return &came_in_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> came_in_;
};

}  // namespace

WARPSCOPE_REPLACEMENT(fifo, Fifo)

}  // namespace warpscope
