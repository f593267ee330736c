#include "wrapper/recording/box_recording.h"

#include <algorithm>

#include "passes/RuntimeABI.h"

namespace warpscope {

BoxRecording::BoxRecording(Dim3 local, std::uint32_t sites) : strides_(sites), sites_(sites) {
  whole_.reach = {static_cast<std::uint32_t>(local.x - 1), static_cast<std::uint32_t>(local.y - 1),
                  static_cast<std::uint32_t>(local.z - 1)};
  // Halving the largest of three 16-bit dimensions leaves at most one box waiting per bit.
  waiting_.reserve(3 * 16 + 1);
}

void BoxRecording::begin() {
  waiting_.clear();
  waiting_.push_back(whole_);
}

std::uint64_t BoxRecording::next() {
  if (waiting_.empty()) return kNoBox;
  box_ = waiting_.back();
  waiting_.pop_back();
  origin_.reset(1, sites_);
  violated_ = 0;
  return pack(box_.origin);
}

std::uint32_t BoxRecording::difference(const BoxStrides& a, const BoxStrides& b) const {
  std::uint32_t result = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    if (a[d] != b[d] && box_.reach[d] != 0) result |= WARPSCOPE_VIOLATED | 1U << d;
  return result;
}

void BoxRecording::access(std::uint64_t base, const BoxStrides& strides,
                          std::span<const std::int64_t> sites) {
  for (std::size_t at = 0; at < sites.size(); at += 2) {
    const auto site = static_cast<std::uint32_t>(sites[at]);
    const bool is_first = origin_.slot(0, site).delta == Slot::kUnused;
    origin_.access(base + static_cast<std::uint64_t>(sites[at + 1]), site, 0);
    if (is_first)
      strides_[site] = strides;
    else if (strides_[site] != strides) [[unlikely]]
      violated_ |= difference(strides_[site], strides);  // each work-item has a shape of its own
  }
}

bool BoxRecording::end(std::uint32_t violated) {
  violated_ |= violated;
  if (box_.is_single() || violated_ == 0) return true;
  split();
  return false;
}

// Along a dimension in which something changes, the largest one: where a condition cuts a corner off, few boxes
// remain.
void BoxRecording::split() {
  const auto is_better = [&](std::size_t d, std::size_t than) {
    const auto changes = [&](std::size_t dimension) {
      return (violated_ >> dimension & 1U) != 0 && box_.reach[dimension] != 0;
    };
    if (changes(d) != changes(than)) return changes(d);
    return box_.reach[d] > box_.reach[than];
  };
  std::size_t d = 2;
  for (const std::size_t other : {1u, 0u})
    if (is_better(other, d)) d = other;
  Box low = box_;
  Box high = box_;
  const std::uint32_t half = (box_.reach[d] + 1) / 2;
  low.reach[d] = half - 1;
  high.origin[d] += half;
  high.reach[d] -= half;
  waiting_.push_back(high);
  waiting_.push_back(low);
}

std::uint64_t BoxRecording::way_to(std::uint32_t item, std::uint32_t site) const {
  std::uint64_t way = 0;
  for (std::size_t d = 0; d < whole_.reach.size(); ++d) {
    way += static_cast<std::uint64_t>(strides_[site][d]) * (item % (whole_.reach[d] + 1));
    item /= whole_.reach[d] + 1;
  }
  return way;
}

std::size_t BoxRecording::memory_bytes() const {
  return origin_.memory_bytes() + strides_.capacity() * sizeof(BoxStrides);
}

}  // namespace warpscope
