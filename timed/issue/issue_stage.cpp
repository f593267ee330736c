#include "timed/issue/issue_stage.h"

#include <algorithm>
#include <bit>

namespace warpscope::timed {

const char* name_of(StallReason reason) {
  constexpr std::array<const char*, kStallReasons> kNames = {
      "load_store_full", "unit_busy", "dependency", "memory", "barrier", "empty", "held_back"};
  return kNames[static_cast<std::size_t>(reason)];
}

IssueStage::IssueStage(const IssueConfig& config, std::size_t warps, const std::vector<LoadStoreUnit>& units)
    : schedulers_(config.schedulers), warps_(warps), units_(units) {
  for (std::uint32_t w = 0; w < warps; ++w) {
    warps_[w].scheduler = w % config.schedulers;
    warps_[w].place = w / config.schedulers;
  }
}

void IssueStage::arrive(std::uint32_t warp, std::size_t unit, std::uint64_t group) {
  Warp& arriving = warps_[warp];
  arriving.state = WarpState::Ready;  // of no unit: it is in no mask before it is told what to wait for
  arriving.load_store_unit = static_cast<std::uint8_t>(unit);
  Scheduler& scheduler = schedulers_[arriving.scheduler];
  const PlaceMask bit = PlaceMask{1} << arriving.place;
  scheduler.age[arriving.place] = arrivals_++;
  scheduler.group[arriving.place] = group;
  scheduler.present |= bit;
  scheduler.served_by[unit] |= bit;
}

void IssueStage::leave(std::uint32_t warp) {
  Warp& leaving = warps_[warp];
  stop_waiting(leaving);
  leaving.state = WarpState::Absent;
  Scheduler& scheduler = schedulers_[leaving.scheduler];
  const PlaceMask bit = PlaceMask{1} << leaving.place;
  scheduler.present &= ~bit;
  scheduler.served_by[leaving.load_store_unit] &= ~bit;
}

PlaceMask IssueStage::candidates(std::uint32_t scheduler, Cycle now) const {
  const Scheduler& of = schedulers_[scheduler];
  PlaceMask mask = 0;
  for (std::uint32_t wanted = of.wanted; wanted != 0; wanted &= wanted - 1) {
    const auto u = static_cast<std::size_t>(std::countr_zero(wanted));
    if (of.unit_free[u] > now) continue;
    mask |= u == kMemory ? of.ready[u] & can_access(of) : of.ready[u];
  }
  return mask;
}

Cycle IssueStage::next_issue(Cycle soonest) const {
  Cycle next = kNever;
  for (const Scheduler& scheduler : schedulers_) {
    for (std::uint32_t wanted = scheduler.wanted; wanted != 0; wanted &= wanted - 1) {
      const auto u = static_cast<std::size_t>(std::countr_zero(wanted));
      if (u == kMemory && (scheduler.ready[u] & can_access(scheduler)) == 0) continue;
      next = std::min(next, scheduler.unit_free[u]);
      if (next <= soonest) return next;
    }
  }
  return next;
}

StallReason IssueStage::stall_reason(const Scheduler& scheduler) const {
  if (scheduler.wanted != 0) {
    const PlaceMask accessing = scheduler.ready[kMemory];
    const bool full = accessing != 0 && (accessing & ~can_access(scheduler)) != 0;
    return full ? StallReason::LoadStoreFull : StallReason::UnitBusy;
  }
  if (scheduler.waiting[index(WarpState::Pause)] != 0) return StallReason::Dependency;
  if (scheduler.waiting[index(WarpState::Memory)] != 0) return StallReason::Memory;
  return scheduler.waiting[index(WarpState::Barrier)] != 0 ? StallReason::Barrier : StallReason::Empty;
}

void IssueStage::count(Cycle cycles, const bool* issued, std::vector<SchedulerCounts>& counts) const {
  for (std::size_t s = 0; s < schedulers_.size(); ++s) {
    const Cycle issuing = issued[s] ? 1 : 0;
    counts[s].issue_cycles += issuing;
    if (cycles != issuing)
      counts[s].stalls[static_cast<std::size_t>(stall_reason(schedulers_[s]))] += cycles - issuing;
  }
}

}  // namespace warpscope::timed
