#include "wrapper/recording/box_recording.h"

#include <algorithm>

#include "passes/RuntimeABI.h"

namespace warpscope {

void BoxExtent::add(std::int64_t step, std::uint64_t times) {
  std::int64_t way = 0;
  fits &= !__builtin_mul_overflow(step, times, &way);
  std::int64_t& end = way < 0 ? lowest : highest;
  fits &= !__builtin_add_overflow(end, way, &end);
}

std::optional<std::uint64_t> locate(ObjectMap& objects, const SiteInfo& site, std::uint64_t first,
                                    const BoxExtent& extent) {
  const std::uint64_t begin = first + static_cast<std::uint64_t>(extent.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(extent.highest) + site.width;
  const PlacedObject object = objects.find(site.object, begin, end, 0);
  if (object.id.value() == 0) return {};
  return object.key(first);
}

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

std::vector<BoxExtent> BoxRecording::extents() const {
  std::vector<BoxExtent> result(sites_);
  std::vector<std::int64_t> at(sites_);
  const auto follow = [&](std::uint32_t site, std::int64_t delta, std::uint64_t repeat) {
    BoxExtent& extent = result[site];
    std::int64_t way = 0;
    extent.fits &= !__builtin_mul_overflow(delta, repeat, &way);
    extent.fits &= !__builtin_add_overflow(at[site], way, &at[site]);
    extent.lowest = std::min(extent.lowest, at[site]);
    extent.highest = std::max(extent.highest, at[site]);
    extent.odd_bits |= static_cast<std::uint64_t>(delta);
  };
  for (const Token& token : origin_.tokens()) follow(token.slot, token.delta, token.repeat);
  for (std::uint32_t site = 0; site < sites_; ++site) {
    const Slot& slot = origin_.slot(0, site);
    if (slot.delta == Slot::kUnused) continue;
    follow(site, slot.delta, slot.repeat);
    for (std::size_t d = 0; d < box_.reach.size(); ++d) {
      if (box_.reach[d] == 0) continue;
      result[site].add(strides_[site][d], box_.reach[d]);
      result[site].odd_bits |= static_cast<std::uint64_t>(strides_[site][d]);
    }
  }
  return result;
}

void BoxRecording::visit_item(const Visit& visit, const std::array<std::uint32_t, 3>& distance) const {
  const std::array<std::uint64_t, 3> id = {box_.origin[0] + distance[0], box_.origin[1] + distance[1],
                                           box_.origin[2] + distance[2]};
  const auto item =
      static_cast<std::uint32_t>(id[0] + (whole_.reach[0] + 1) * (id[1] + (whole_.reach[1] + 1) * id[2]));
  for (std::uint32_t site = 0; site < sites_; ++site) {
    const Slot& slot = origin_.slot(0, site);
    if (slot.delta == Slot::kUnused) continue;
    std::uint64_t address = slot.first;
    for (std::size_t d = 0; d < distance.size(); ++d)
      address += static_cast<std::uint64_t>(strides_[site][d]) * distance[d];
    visit(address, site, item);
    const auto follow = [&](std::int64_t delta, std::uint64_t repeat) {
      for (; repeat > 0; --repeat) visit(address += static_cast<std::uint64_t>(delta), site, item);
    };
    for (const Token& token : origin_.tokens())
      if (token.slot == site) follow(token.delta, token.repeat);
    follow(slot.delta, slot.repeat);
  }
}

void BoxRecording::for_each_access(const Visit& visit) const {
  for (std::uint32_t z = 0; z <= box_.reach[2]; ++z)
    for (std::uint32_t y = 0; y <= box_.reach[1]; ++y)
      for (std::uint32_t x = 0; x <= box_.reach[0]; ++x) visit_item(visit, {x, y, z});
}

std::size_t BoxRecording::memory_bytes() const {
  return origin_.memory_bytes() + strides_.capacity() * sizeof(BoxStrides);
}

}  // namespace warpscope
