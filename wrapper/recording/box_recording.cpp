#include "wrapper/recording/box_recording.h"

#include <algorithm>

#include "passes/RuntimeABI.h"

namespace warpscope {

BoxRecording::BoxRecording(Dim3 local, std::uint32_t sites) : strides_(sites), sites_(sites) {
  whole_.reach = {static_cast<std::uint32_t>(local.x - 1), static_cast<std::uint32_t>(local.y - 1),
                  static_cast<std::uint32_t>(local.z - 1)};
  // Nothing may be thrown from inside a kernel. Halving the largest of three 16-bit dimensions leaves at most one box
  // waiting per bit, and each cut another one.
  waiting_.reserve(3 * 16 + BoxCuts::kMostCuts + 1);
}

void BoxRecording::begin() {
  waiting_.clear();
  waiting_.push_back({whole_});
  cuts_.begin();
}

std::uint64_t BoxRecording::next() {
  if (waiting_.empty()) {
    cuts_.learn();
    return kNoBox;
  }
  box_ = waiting_.back().box;
  cut_ = waiting_.back().cut;
  waiting_.pop_back();
  origin_.reset(1, sites_);
  violated_ = 0;
  return packed(box_.origin);
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
    else if (!are_equal(strides_[site], strides)) [[unlikely]]
      violated_ |= difference(strides_[site], strides);  // each work-item has a shape of its own
  }
}

bool BoxRecording::end(std::uint32_t violated) {
  violated_ |= violated;
  const bool holds = box_.is_single() || violated_ == 0;
  cuts_.judge(cut_, holds);
  if (holds)
    cuts_.hold(box_, origin_);
  else
    split();
  return holds;
}

// Along a dimension in which something changes, the largest one: where a condition cuts a corner off, few boxes
// remain.
std::size_t BoxRecording::dimension_to_split() const {
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
  return d;
}

void BoxRecording::split() {
  std::size_t d = dimension_to_split();
  const std::uint32_t cut = cuts_.find({box_, violated_, origin_.outcomes(0)}, d);
  if (cut != BoxCuts::kNoCut) d = cuts_.dimension(cut);
  const std::uint32_t before = cut != BoxCuts::kNoCut ? cuts_.position(cut) : (box_.reach[d] + 1) / 2;
  Box low = box_;
  Box high = box_;
  low.reach[d] = before - 1;
  high.origin[d] += before;
  high.reach[d] -= before;
  waiting_.push_back({high, cut});
  waiting_.push_back({low, cut});
}

BoxCuts::BoxCuts() {
  cuts_.reserve(kMostCuts);
  held_.reserve(kMostBoxes + 1);
}

std::uint32_t BoxCuts::find(const Failure& failure, std::size_t d) {
  for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut)
    if (cuts_[cut].failure == failure)
      return cuts_[cut].position != 0 && cuts_[cut].trust >= 0 ? cut : kNoCut;
  if (cuts_.size() == kMostCuts) return kNoCut;
  if (!is_learning_) held_.clear();
  is_learning_ = true;
  cuts_.push_back({failure, d});
  return kNoCut;
}

// A wrong cut often has one part that holds, a right one mostly two.
void BoxCuts::judge(std::uint32_t cut, bool holds) {
  if (cut == kNoCut) return;
  int& trust = cuts_[cut].trust;
  trust = holds ? std::min(trust + 1, kTrust) : trust - 4;
}

void BoxCuts::hold(const Box& box, const Recording& first) {
  if (!is_learning_ || held_.size() > kMostBoxes) return;
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
  std::uint64_t shape = first.outcomes(0).bits + kFactor * first.outcomes(0).fill;
  for (std::uint32_t site = 0; site < first.sites(); ++site) {
    const Slot slot = first.slot(0, site);
    shape = (shape ^ static_cast<std::uint64_t>(slot.delta) ^ slot.repeat << 32) * kFactor;
  }
  held_.push_back({box, shape});
}

/// The lowest place in a box that was cut where work-items begin to do something else, and no box that holds is on both
/// sides; 0: none.
std::uint32_t BoxCuts::boundary(const Cut& cut) const {
  const std::size_t d = cut.dimension;
  const Box& whole = cut.failure.box;
  const auto end = [&](const Held& held, std::size_t dimension) {
    return held.box.origin[dimension] + held.box.reach[dimension] + 1;
  };
  const auto is_inside = [&](const Held& held) {
    for (std::size_t any = 0; any < whole.reach.size(); ++any)
      if (held.box.origin[any] < whole.origin[any] ||
          end(held, any) > whole.origin[any] + whole.reach[any] + 1)
        return false;
    return true;
  };
  const auto separates = [&](std::uint32_t at) {
    bool changes = false;
    for (const Held& low : held_) {
      if (!is_inside(low)) continue;
      if (low.box.origin[d] < at && end(low, d) > at) return false;
      for (const Held& high : held_)
        changes |=
            end(low, d) == at && high.box.origin[d] == at && is_inside(high) && low.shape != high.shape;
    }
    return changes;
  };
  std::uint32_t lowest = 0;
  for (const Held& held : held_) {
    const std::uint32_t at = held.box.origin[d];
    if (is_inside(held) && at > whole.origin[d] && (lowest == 0 || at < lowest) && separates(at)) lowest = at;
  }
  return lowest == 0 ? 0 : lowest - whole.origin[d];
}

void BoxCuts::learn() {
  if (!is_learning_) return;
  is_learning_ = false;
  has_learned_ = true;
  for (Cut& cut : cuts_) {
    if (cut.is_new && held_.size() <= kMostBoxes) cut.position = boundary(cut);
    cut.is_new = false;
  }
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
  origin_.for_each_run(follow);
  for (std::uint32_t site = 0; site < sites_; ++site) {
    const Slot slot = origin_.slot(0, site);
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
    const Slot slot = origin_.slot(0, site);
    if (slot.delta == Slot::kUnused) continue;
    std::uint64_t address = slot.first;
    for (std::size_t d = 0; d < distance.size(); ++d)
      address += static_cast<std::uint64_t>(strides_[site][d]) * distance[d];
    visit(address, site, item);
    const auto follow = [&](std::int64_t delta, std::uint64_t repeat) {
      for (; repeat > 0; --repeat) visit(address += static_cast<std::uint64_t>(delta), site, item);
    };
    origin_.for_each_run([&](std::uint32_t of, std::int64_t delta, std::uint64_t repeat) {
      if (of == site) follow(delta, repeat);
    });
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
