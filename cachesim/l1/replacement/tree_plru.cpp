// Tree pseudo-LRU. A binary tree over the ways; every inner node points to the half that was used less
// recently. A use turns the nodes on its path away from itself; the victim is found by following the pointers
// from the root. A node over n ways gives its first half ceil(n / 2) of them, so the number of ways need not
// be a power of two. All nodes point to the first half at the start.
#include <algorithm>
#include <bit>

#include "cachesim/l1/policy_cache.h"

namespace warpscope {
namespace {

class TreePlru {
 public:
  explicit TreePlru(const PolicyGeometry& geometry)
      : ways_(geometry.ways),
        nodes_(2 * std::bit_ceil(geometry.ways)),
        points_to_second_(std::size_t{geometry.sets} * nodes_) {}
  void reset() { std::fill(points_to_second_.begin(), points_to_second_.end(), 0); }
  void on_hit(const Reference& reference) { turn_away(reference); }
  void on_fill(const Reference& reference) { turn_away(reference); }
  void on_remove(const Reference&) {}

  WayIndex victim(const Reference& reference) {
    const std::uint8_t* tree = row(reference);
    std::uint32_t first = 0, count = ways_, node = 1;
    while (count > 1) {
      const std::uint32_t half = (count + 1) / 2;
      const bool second = tree[node] != 0;
      first += second ? half : 0;
      count = second ? count - half : half;
      node = 2 * node + std::uint32_t{second};
    }
    return WayIndex(first);
  }

 private:
  void turn_away(const Reference& reference) {
    std::uint8_t* tree = row(reference);
    std::uint32_t way = reference.way.value(), count = ways_, node = 1;
    while (count > 1) {
      const std::uint32_t half = (count + 1) / 2;
      const bool second = way >= half;
      tree[node] = std::uint8_t{!second};
      way -= second ? half : 0;
      count = second ? count - half : half;
      node = 2 * node + std::uint32_t{second};
    }
  }
  std::uint8_t* row(const Reference& reference) {
    return &points_to_second_[std::size_t{reference.set.value()} * nodes_];
  }

  std::uint32_t ways_;
  std::uint32_t nodes_;  ///< room for a heap-ordered tree: root 1, children of n are 2n and 2n + 1
  std::vector<std::uint8_t> points_to_second_;
};

}  // namespace

WARPSCOPE_REPLACEMENT(tree_plru, TreePlru)

}  // namespace warpscope
