// Which work-groups a core has: when they start, and when the first of them can have ended.
#include <fmt/format.h>

#include <algorithm>

#include "timed/issue/core.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

SharedGroup read_group(const CoreSetup& setup, WorkGroupId number) {
  SharedGroup group = setup.source.read(number, setup.replay.memory.forms());
  if (group.work_items != setup.source.launch().local.count()) {
    throw InputError(fmt::format("launch {}, work-group {}: {} work-items, expected {}; capture it again",
                                 group.launch.value(), number.value(), group.work_items,
                                 setup.source.launch().local.count()));
  }
  return group;
}

}  // namespace

void Core::set_own_groups(std::vector<WorkGroupId> groups, Cycle at) {
  groups_.set_own(std::move(groups));
  own_from_ = at;
}

void Core::give_group(WorkGroupId group, Cycle at) {
  const auto later = std::upper_bound(given_.begin(), given_.end(), at,
                                      [](Cycle cycle, const GivenGroup& one) { return cycle < one.at; });
  given_.insert(later, {group, groups_.reserve(), at});
}

void Core::start_due_groups() {
  while (!given_.empty() && given_.front().at <= now_) {
    const GivenGroup given = given_.front();
    given_.pop_front();
    start_group(given);
    // A work-group that executes nothing has ended already.
    if (groups_.group(given.slot) == nullptr) start_own_groups(now_);
  }
}

void Core::start_group(const GivenGroup& given) {
  const std::uint32_t slot = given.slot;
  groups_.start(slot, std::make_unique<GroupReplay>(setup_.replay, read_group(setup_, given.group)));
  ++counts_.work_groups;
  started_until_ = std::max(now_, started_until_);
  for (std::uint32_t w = 0; w < groups_.warps_per_group(); ++w) {
    load_warp(groups_.number_of(slot, w), slot, WarpId(w), started_until_);
    if (setup_.timeline != nullptr)
      setup_.timeline->begin_warp(groups_.number_of(slot, w), given.group.value());
    started_until_ += setup_.config.warp_start_cycles;
  }
  for (std::uint32_t w = 0; w < groups_.warps_per_group(); ++w)
    if (walk(groups_.number_of(slot, w), now_)) go_past_barrier(now_);
}

void Core::load_warp(std::uint32_t number, std::uint32_t slot, WarpId in_group, Cycle at) {
  Warp& warp = warps_[number];
  warp = Warp();
  warp.walking = {groups_.group(slot), in_group, flights_.of_warp(number)};
  warp.earliest = at;
  warp.slot = static_cast<std::uint16_t>(slot);
  if (stalls_) stalls_->start(number, at);
  issue_.arrive(number, slot % units_.size(), counts_.work_groups);
  on_arrived(issue_.scheduler_of(number), issue_.place_of(number));
}

void Core::start_own_groups(Cycle at) {
  while (groups_.has_next_own()) give_group(groups_.take_next_own(), at);
}

bool Core::idle() const {
  return given_.empty() && !own_from_ && groups_.empty() &&
         std::all_of(units_.begin(), units_.end(), [](const LoadStoreUnit& unit) { return unit.idle(); });
}

Cycle Core::idle_at() const {
  Cycle at = finished_at();
  for (const LoadStoreUnit& unit : units_) at = std::max(at, unit.idle_at());
  return at;
}

Cycle Core::earliest_end(Cycle limit) const {
  if (!machine_) return std::min(limit, now_);
  Cycle least = limit;
  for (const GivenGroup& given : given_)
    least = std::min(least, std::max(given.at, now_) + machine_->program().least_cycles());
  for (std::uint32_t slot = 0; slot < groups_.slots(); ++slot) {
    if (groups_.group(slot) == nullptr) continue;
    Cycle last = now_;  // of its warps: the work-group has ended when all of them have
    for (std::uint32_t w = 0; w < groups_.warps_per_group() && last < least; ++w)
      last = std::max(last, earliest_end_of(groups_.number_of(slot, w)));
    least = std::min(least, last);
  }
  return least;
}

/// Of a warp of machine code.
Cycle Core::earliest_end_of(std::uint32_t number) const {
  if (issue_.state(number) == WarpState::Absent) return now_;
  const Warp& warp = warps_[number];
  const ProgramPosition& at = warp.at;
  Cycle left = 0;
  if (!at.is_off && at.op != at.op_end)
    left = at.op->to_end;
  else if (!at.is_off && at.op_end != nullptr)
    left = at.op_end[-1].rest;
  return std::max(std::max(warp.earliest, now_) + left, warp.drained);
}

}  // namespace warpscope::timed
