#include "whatif/group_order.h"

#include <algorithm>
#include <numeric>

namespace warpscope::whatif {
namespace {

/// Bit i of `value` becomes bit 2 i.
std::uint64_t spread(std::uint64_t value) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) result |= (value >> bit & 1) << (2 * bit);
  return result;
}

/// Work-groups are ordered by it; equal keys by their number.
std::uint64_t key_of(const Change& change, std::uint64_t x, std::uint64_t y, std::uint64_t width) {
  if (change.morton) return spread(x) | spread(y) << 1;
  const std::uint64_t tiles = (width + change.numbers[0] - 1) / change.numbers[0];
  return y / change.numbers[1] * tiles + x / change.numbers[0];
}

}  // namespace

GroupOrder::GroupOrder(const Change& change, Dim3 groups)
    : layer_(groups.x * groups.y), turns_(static_cast<std::size_t>(layer_)) {
  std::vector<std::uint64_t> keys(turns_.size());
  for (std::uint64_t i = 0; i < layer_; ++i) keys[i] = key_of(change, i % groups.x, i / groups.x, groups.x);
  std::vector<std::uint32_t> order(turns_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  for (std::uint32_t turn = 0; turn < order.size(); ++turn) turns_[order[turn]] = turn;
}

WorkGroupId GroupOrder::turn_of(WorkGroupId group) const {
  const std::uint64_t layer = group.value() / layer_ * layer_;
  return WorkGroupId(static_cast<std::uint32_t>(layer + turns_[group.value() - layer]));
}

}  // namespace warpscope::whatif
