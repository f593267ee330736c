#include "traces/races/group_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {

GroupWalk::GroupWalk(const KernelInfo& kernel, const RacePlan& plan, const WorkGroupTrace& trace,
                     std::uint32_t warp_size, GroupEvents& events)
    : plan_(plan), warp_size_(warp_size), events_(events) {
  items_.reserve(trace.work_items);
  for (std::uint32_t item = 0; item < trace.work_items; ++item) start(kernel, trace, WorkItemId(item));
}

void GroupWalk::start(const KernelInfo& kernel, const WorkGroupTrace& trace, WorkItemId id) {
  Item item{PathWalker(kernel, trace.paths[trace.path_of[id.value()]]), {}};
  item.cursors.resize(plan_.sites.size());
  for (std::size_t site = 0; site < plan_.sites.size(); ++site) {
    const SiteColumn& column = trace.columns[plan_.sites[site].id.value()];
    if (!column.shape_of.empty() && column.shape_of[id.value()] != SiteColumn::kNone)
      item.cursors[site] = LocationCursor(column, id);
  }
  item.event = plan_.first_event[item.walk.block().value()];
  items_.push_back(std::move(item));
}

std::uint64_t GroupWalk::run(std::uint64_t most) {
  most_ = most;
  const auto count = static_cast<std::uint32_t>(items_.size());
  const auto has_ended = [](const Item& item) { return item.state == State::Ended; };
  while (steps_ <= most_ && !std::all_of(items_.begin(), items_.end(), has_ended)) {
    for (std::uint32_t first = 0; first < count; first += warp_size_)
      run_warp(first, std::min(warp_size_, count - first));
    if (!pass_named()) events_.next_interval(pass_barrier());
  }
  return steps_;
}

/// Lets all go on that are at a barrier, and says where others are not; whether it is one of the whole launch.
bool GroupWalk::pass_barrier() {
  const auto waits = [](const Item& item) { return item.state == State::AtBarrier; };
  const auto first = std::find_if(items_.begin(), items_.end(), waits);
  if (first == items_.end() || steps_ > most_) return false;
  const std::uint32_t barrier = first->barrier;
  const auto other = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
    return waits(item) ? item.barrier != barrier : item.state == State::Ended;
  });
  if (other != items_.end() && barrier != RacePlan::kWholeGrid && other->barrier != RacePlan::kWholeGrid &&
      !plan_.has_unknown_barriers) {
    const auto id = [&](auto item) { return WorkItemId(static_cast<std::uint32_t>(item - items_.begin())); };
    const bool ended = !waits(*other);
    events_.barrier_apart(
        {SiteId(barrier), SiteId(ended ? barrier : other->barrier), id(first), id(other), ended});
  }
  for (Item& item : items_) {
    if (waits(item)) item.state = State::Running;
  }
  return barrier == RacePlan::kWholeGrid;
}

NamedBarrier GroupWalk::barrier_of(const Item& item) const {
  const auto found = plan_.named.find(item.barrier);
  return found != plan_.named.end() ? found->second : NamedBarrier{};
}

/// Lets those go on that have come to a barrier at which they do not wait; whether there are any.
bool GroupWalk::pass_arrivals(Item* warp, std::uint32_t lanes, std::uint32_t number) {
  bool some = false;
  for (LaneMask left = plan_.named.empty() ? 0 : those(warp, lanes, State::AtBarrier); left != 0;
       left &= left - 1) {
    Item& item = warp[std::countr_zero(left)];
    const NamedBarrier barrier = barrier_of(item);
    if (!barrier.arrives) continue;
    if (!some) {  // lanes that do so together are one warp
      ++arrived_[barrier.number];
      events_.arrive(number, barrier.number);
    }
    some = true;
    item.state = State::Running;
  }
  return some;
}

/// Where there are barriers of parts of the work-group: lets all go on at those that are complete; whether some do, and not all of the
/// work-group at one.
bool GroupWalk::pass_named() {
  if (plan_.named.empty() || steps_ > most_) return false;
  const auto waits_for_all = [&](const Item& item) {
    return item.state == State::Ended ||
           (item.state == State::AtBarrier && barrier_of(item) == NamedBarrier{});
  };
  if (std::all_of(items_.begin(), items_.end(), waits_for_all)) return false;
  bool some = false;
  for (std::uint32_t number = 0; number < kNamedBarriers; ++number) some = pass_named(number) || some;
  return some;
}

bool GroupWalk::pass_named(std::uint32_t number) {
  std::vector<std::uint32_t> waiting;
  std::uint32_t alive = 0, needed = 0;
  for (std::uint32_t first = 0; first < items_.size(); first += warp_size_) {
    const std::uint32_t lanes = std::min(warp_size_, static_cast<std::uint32_t>(items_.size()) - first);
    const LaneMask living = low_lanes(lanes) & ~those(&items_[first], lanes, State::Ended);
    if (living == 0) continue;
    ++alive;
    const Item& item = items_[first + static_cast<std::uint32_t>(std::countr_zero(living))];
    if (those(&items_[first], lanes, State::AtBarrier) != living || item.barrier == RacePlan::kWholeGrid)
      continue;
    const NamedBarrier barrier = barrier_of(item);
    if (barrier.number != number) continue;
    waiting.push_back(first / warp_size_);
    needed = barrier.work_items / kCudaWarp;
  }
  if (waiting.empty() || waiting.size() + arrived_[number] < (needed != 0 ? needed : alive)) return false;
  for (const std::uint32_t warp : waiting) {
    events_.arrive(warp, number);
    const auto begin = items_.begin() + std::ptrdiff_t{warp} * warp_size_;
    const auto end = items_.end() - begin > warp_size_ ? begin + warp_size_ : items_.end();
    std::for_each(begin, end, [](Item& item) {
      if (item.state == State::AtBarrier) item.state = State::Running;
    });
  }
  arrived_[number] = 0;
  events_.meet_warps(waiting, number);
  return true;
}

void GroupWalk::run_warp(std::uint32_t first, std::uint32_t lanes) {
  Item* warp = &items_[first];
  events_.begin_warp(first / warp_size_, lanes);
  while (true) {
    for (LaneMask left = those(warp, lanes, State::Running); left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      run_item(warp[lane], lane);
    }
    if (pass_arrivals(warp, lanes, first / warp_size_)) continue;
    if (steps_ > most_ || those(warp, lanes, State::AtMeeting) == 0) return;
    release(warp, lanes);
  }
}

void GroupWalk::run_item(Item& item, std::uint32_t lane) {
  while (steps_ <= most_) {
    const std::uint32_t end = plan_.first_event[item.walk.block().value() + 1];
    while (item.event < end) {
      const RacePlan::Event& event = plan_.events[item.event++];
      if (event.step == RacePlan::Step::Access) {
        access(item, lane, event.index);
        continue;
      }
      if (event.step == RacePlan::Step::Fence) {
        events_.fence(lane);
        continue;
      }
      item.barrier = event.index;
      item.mask = event.mask;
      item.state = event.step == RacePlan::Step::Barrier ? State::AtBarrier : State::AtMeeting;
      return;
    }
    ++steps_;
    item.walk.advance();
    if (item.walk.done()) {
      item.state = State::Ended;
      return;
    }
    item.event = plan_.first_event[item.walk.block().value()];
  }
}

void GroupWalk::access(Item& item, std::uint32_t lane, std::uint32_t site) {
  if (!item.cursors[site].has_next())
    throw InputError(fmt::format("site {} has no further location, expected one per execution",
                                 plan_.sites[site].id.value()));
  const BufferAddr where = item.cursors[site].next();
  if (++steps_ > most_) return;
  events_.access(site, lane, where);
}

LaneMask GroupWalk::those(const Item* warp, std::uint32_t lanes, State state) {
  LaneMask result = 0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (warp[lane].state == state) result |= LaneMask{1} << lane;
  }
  return result;
}

/// Lanes that wait with the same mask, where all that it names and that can still come do. 0 if there are none.
LaneMask GroupWalk::complete_mask(const Item* warp, std::uint32_t lanes) {
  const LaneMask waiting = those(warp, lanes, State::AtMeeting);
  const LaneMask gone = those(warp, lanes, State::Ended) | those(warp, lanes, State::AtBarrier);
  for (LaneMask left = waiting; left != 0; left &= left - 1) {
    const LaneMask mask = warp[std::countr_zero(left)].mask;
    if (mask == 0) continue;
    LaneMask same = 0;
    for (LaneMask others = waiting; others != 0; others &= others - 1) {
      if (warp[std::countr_zero(others)].mask == mask) same |= others & -others;
    }
    if ((mask & low_lanes(lanes) & ~gone & ~same) == 0) return same;
  }
  return 0;
}

/// Those of `of` that wait at the place that is first in the program.
LaneMask GroupWalk::earliest(const Item* warp, LaneMask of) {
  LaneMask result = 0;
  std::pair<std::uint32_t, std::uint32_t> place;
  for (; of != 0; of &= of - 1) {
    const Item& item = warp[std::countr_zero(of)];
    const std::pair here{item.walk.block().value(), item.event};
    if (result != 0 && here > place) continue;
    result = result != 0 && here == place ? result | (of & -of) : of & -of;
    place = here;
  }
  return result;
}

/// Lets lanes go on that have waited for each other. Where no mask is complete, those that wait without a known mask have
/// come together: the first of them in the program go on, so that they may reach the others.
void GroupWalk::release(Item* warp, std::uint32_t lanes) {
  LaneMask go = complete_mask(warp, lanes), met = go;
  if (go != 0) {
    // Others only come along the compiler's way; who has ended does not keep anybody waiting.
    const LaneMask ended = those(warp, lanes, State::Ended), mask = warp[std::countr_zero(go)].mask;
    met = mask & (go | ended);
    const LaneMask absent = mask & low_lanes(lanes) & ~go;
    if (absent != 0) events_.meeting_apart(go, (absent & ~ended) == 0);
  } else {
    const LaneMask waiting = those(warp, lanes, State::AtMeeting);
    for (LaneMask left = waiting; left != 0; left &= left - 1) {
      if (warp[std::countr_zero(left)].mask == 0) met |= left & -left;
    }
    if (met == 0) {  // each waits for one that never comes
      met = waiting;
      events_.meeting_apart(waiting, (waiting | those(warp, lanes, State::Ended)) == low_lanes(lanes));
    }
    go = earliest(warp, met);
  }
  events_.meet(met);
  for (; go != 0; go &= go - 1) warp[std::countr_zero(go)].state = State::Running;
}

}  // namespace warpscope
