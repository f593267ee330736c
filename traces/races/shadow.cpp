#include "traces/races/shadow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpscope {

void WarpClock::begin(std::uint32_t lanes) {
  lanes_ = lanes;
  now_ = 1;
  all_before_ = 0;
  for (auto& of_lane : known_) of_lane.fill(0);
}

void WarpClock::meet(LaneMask set) {
  if ((set & low_lanes(lanes_)) == low_lanes(lanes_)) {
    all_before_ = now_++;
    return;
  }
  std::array<std::uint32_t, kMaxWarpSize> together{};
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    if ((set >> lane & 1) == 0) continue;
    for (std::uint32_t of = 0; of < lanes_; ++of) together[of] = std::max(together[of], known_[lane][of]);
  }
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    if ((set >> lane & 1) != 0) together[lane] = now_;
  }
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    if ((set >> lane & 1) != 0) known_[lane] = together;
  }
  ++now_;
}

LaneMask WarpClock::unordered_slow(std::uint32_t lane, LaneMask others, std::uint32_t when) const {
  LaneMask result = 0;
  for (LaneMask left = others; left != 0; left &= left - 1) {
    const auto of = static_cast<std::uint32_t>(std::countr_zero(left));
    if (known_[lane][of] < when) result |= LaneMask{1} << of;
  }
  return result;
}

void GroupClock::restart() {
  known_.clear();
  for (Known& known : at_) known.clear();
}

void GroupClock::learn(Known& known, const Known& other) {
  known.resize(std::max(known.size(), other.size()));
  for (std::size_t warp = 0; warp < other.size(); ++warp) known[warp] = std::max(known[warp], other[warp]);
}

GroupClock::Known& GroupClock::of(std::uint32_t warp) {
  if (known_.size() <= warp) known_.resize(warp + 1);
  if (known_[warp].size() <= warp) known_[warp].resize(warp + 1);
  return known_[warp];
}

void GroupClock::arrive(std::uint32_t warp, std::uint32_t barrier) {
  Known& known = of(warp);
  ++known[warp];
  learn(at_[barrier], known);
}

void GroupClock::meet(const std::vector<std::uint32_t>& warps, std::uint32_t barrier) {
  for (const std::uint32_t warp : warps) learn(of(warp), at_[barrier]);
  at_[barrier].clear();
}

void Shadow::access(std::uint32_t site, std::uint32_t lane, BufferAddr where) {
  const std::uint32_t width = plan_.sites[site].width;
  const Lane now{site, lane, turns_[std::size_t{site} * warp_size_ + lane]++};
  for (std::uint32_t done = 0; done < width; done += plan_.granule) {
    const BufferAddr part(where.buffer(), where.offset() + done);
    if (Cell* cell = cell_at(part)) access_cell(*cell, now, part);
  }
}

Shadow::Cell* Shadow::cell_at(BufferAddr where) {
  const std::uint64_t key = where.key() / plan_.granule;
  if (cells_.size() < kMostCells) return &cells_[key];
  const auto found = cells_.find(key);
  return found != cells_.end() ? &found->second : nullptr;
}

void Shadow::access_cell(Cell& cell, const Lane& now, BufferAddr where) {
  if (cell.interval != interval_) {
    cell.interval = interval_;
    cell.own.clear();
    cell.any.clear();
  } else if (cell.visit != visit_) {
    cell.own.clear();
  }
  cell.visit = visit_;
  against_own(cell, now, where);
  const std::uint32_t item = warp_ * warp_size_ + now.lane;
  if (plan_.named.empty())
    against_any(cell, now.site, item, where);
  else
    against_others(cell, now.site, item, where);
}

void Shadow::against_own(Cell& cell, const Lane& now, BufferAddr where) {
  const std::uint32_t first_item = warp_ * warp_size_;
  bool is_there = false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cell.own.size(); ++i) {
    Own& before = cell.own[i];
    if (clock_.known_to_all(before.when)) continue;
    const bool is_site = before.site == now.site;
    if (conflict(kind_of(before.site), kind_of(now.site))) {
      const LaneMask lanes =
          clock_.unordered(now.lane, before.lanes & ~(LaneMask{1} << now.lane), before.when);
      const bool together = is_site && !before.several_turns && before.turn == now.turn;
      if (lanes != 0)
        report({before.site, now.site, true, together, where.buffer()},
               first_item + static_cast<std::uint32_t>(std::countr_zero(lanes)), first_item + now.lane,
               where);
    }
    if (is_site && before.when == clock_.now()) {
      before.lanes |= LaneMask{1} << now.lane;
      before.several_turns = before.several_turns || before.turn != now.turn;
      is_there = true;
    }
    cell.own[kept++] = before;
  }
  cell.own.resize(kept);
  if (!is_there) cell.own.push_back({now.site, clock_.now(), LaneMask{1} << now.lane, now.turn});
}

/// Of each site and warp the last time stands for all: who does not know of an earlier one does not know of it either.
void Shadow::against_others(Cell& cell, std::uint32_t site, std::uint32_t item, BufferAddr where) {
  Any* own = nullptr;
  for (Any& before : cell.any) {
    const std::uint32_t other = before.first / warp_size_;
    if (other == warp_) {
      if (before.site == site) own = &before;
    } else if (conflict(kind_of(before.site), kind_of(site)) &&
               !group_clock_.knows(warp_, other, before.when)) {
      report({before.site, site, false, false, where.buffer()}, before.first, item, where);
    }
  }
  const Any now{site, item, kNobody, group_clock_.now(warp_)};
  if (own != nullptr)
    *own = now;
  else
    cell.any.push_back(now);
}

void Shadow::against_any(Cell& cell, std::uint32_t site, std::uint32_t item, BufferAddr where) {
  bool is_there = false;
  for (Any& before : cell.any) {
    const bool first_is_other = before.first / warp_size_ != warp_;
    if (conflict(kind_of(before.site), kind_of(site)) && (first_is_other || before.second != kNobody))
      report({before.site, site, false, false, where.buffer()}, first_is_other ? before.first : before.second,
             item, where);
    if (before.site != site) continue;
    is_there = true;
    if (first_is_other && before.second == kNobody) before.second = item;
  }
  if (!is_there) cell.any.push_back({site, item, kNobody});
}

/// `first` and `second`: the work-items of the pair's sites, which need not be in order.
void Shadow::report(RacePair pair, std::uint32_t first, std::uint32_t second, BufferAddr where) {
  if (pair.first > pair.second) {
    std::swap(pair.first, pair.second);
    std::swap(first, second);
  }
  found_.try_emplace(pair, RaceExample{WorkItemId(first), WorkItemId(second), where.offset()});
}

}  // namespace warpscope
