#pragma once
// The warp schedulers of a core: which of its warps can issue in a cycle, and why the others cannot. Which of those that
// can does issue is the policy's choice.
#include <array>
#include <cstdint>
#include <vector>

#include "timed/config/config.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/issue_policy.h"
#include "timed/issue/load_store_unit.h"

namespace warpscope::timed {

/// What a warp waits for.
enum class WarpState : std::uint8_t {
  Ready,    ///< for its turn, or for the unit that its next instruction needs
  Pause,    ///< for the result of a short instruction
  Memory,   ///< for the data of a load
  Barrier,  ///< for the other warps of its work-group
  Absent,   ///< it is not on the core
};

class IssueStage {
 public:
  /// Warps that a scheduler can hold.
  static constexpr std::uint32_t kPlaces = 64;

  /// For `warps` numbered from 0: warp w has place w / schedulers of scheduler w mod schedulers. All arguments but
  /// `warps` outlive this.
  IssueStage(const IssueConfig& config, std::size_t warps, const std::vector<LoadStoreUnit>& units);

  [[nodiscard]] std::uint32_t schedulers() const { return static_cast<std::uint32_t>(schedulers_.size()); }
  [[nodiscard]] std::uint32_t scheduler_of(std::uint32_t warp) const { return warps_[warp].scheduler; }
  [[nodiscard]] WarpPlace place_of(std::uint32_t warp) const { return warps_[warp].place; }
  [[nodiscard]] std::size_t load_store_unit_of(std::uint32_t warp) const {
    return warps_[warp].load_store_unit;
  }
  [[nodiscard]] std::uint32_t warp_at(std::uint32_t scheduler, WarpPlace place) const {
    return place * schedulers() + scheduler;
  }

  /// The warp takes its place; its accesses go to load-store unit `unit`. `group`: a number of its work-group, larger than those of
  /// the work-groups that arrived before.
  void arrive(std::uint32_t warp, std::size_t unit, std::uint64_t group);
  void leave(std::uint32_t warp);
  /// Its next instruction needs `unit`.
  void make_ready(std::uint32_t warp, Unit unit) {
    Warp& ready = warps_[warp];
    stop_waiting(ready);
    ready.state = WarpState::Ready;
    ready.unit = static_cast<std::uint8_t>(unit);
    Scheduler& scheduler = schedulers_[ready.scheduler];
    scheduler.ready[ready.unit] |= PlaceMask{1} << ready.place;
    scheduler.wanted |= 1u << ready.unit;
  }
  /// Not WarpState::Ready.
  void make_wait(std::uint32_t warp, WarpState state) {
    Warp& waiting = warps_[warp];
    stop_waiting(waiting);
    waiting.state = state;
    schedulers_[waiting.scheduler].waiting[index(state)] |= PlaceMask{1} << waiting.place;
  }
  [[nodiscard]] WarpState state(std::uint32_t warp) const { return warps_[warp].state; }

  /// Warps that can issue in cycle `now`.
  [[nodiscard]] PlaceMask candidates(std::uint32_t scheduler, Cycle now) const;
  /// What the policy of a scheduler sees; `ready`: of its candidates.
  [[nodiscard]] IssueView view(std::uint32_t scheduler, PlaceMask ready) const {
    const Scheduler& of = schedulers_[scheduler];
    return {ready,
            of.present,
            of.waiting[index(WarpState::Memory)],
            of.age.data(),
            of.waiting[index(WarpState::Barrier)],
            0,
            0,
            of.group.data()};
  }
  /// A ready warp issues, which occupies its unit for `interval` cycles.
  void issued(std::uint32_t warp, Cycle now, std::uint32_t interval) {
    const Warp& issuing = warps_[warp];
    Scheduler& scheduler = schedulers_[issuing.scheduler];
    PlaceMask& ready = scheduler.ready[issuing.unit];
    ready &= ~(PlaceMask{1} << issuing.place);
    if (ready == 0) scheduler.wanted &= ~(1u << issuing.unit);
    scheduler.unit_free[issuing.unit] = now + interval;
  }

  /// The first cycle in which a warp that is ready now can issue, if nothing else changes; kNever without one. If that
  /// is `soonest` or before, some cycle up to `soonest`.
  [[nodiscard]] Cycle next_issue(Cycle soonest) const;
  /// Warps of `mask` whose next instruction needs the load-store unit.
  [[nodiscard]] PlaceMask accessing(std::uint32_t scheduler, PlaceMask mask) const {
    return schedulers_[scheduler].ready[kMemory] & mask;
  }
  /// Adds `cycles` to `counts`; in the first one the schedulers marked in `issued` have issued, in the others
  /// none has.
  void count(Cycle cycles, const bool* issued, std::vector<SchedulerCounts>& counts) const;

 private:
  struct Scheduler {
    std::array<PlaceMask, kUnits> ready{};  ///< by the unit that the next instruction needs
    std::uint32_t wanted = 0;               ///< a bit per unit: those of which `ready` is not 0
    std::array<PlaceMask, 4> waiting{};     ///< by WarpState; of Ready nothing
    PlaceMask present = 0;
    std::array<Cycle, kUnits> unit_free{};
    std::array<PlaceMask, kMostLoadStoreUnits> served_by{};  ///< warps by load-store unit
    std::array<std::uint64_t, kPlaces> age{}, group{};
  };
  struct Warp {
    std::uint32_t scheduler = 0;
    WarpPlace place = 0;
    WarpState state = WarpState::Absent;
    std::uint8_t unit = 0;  ///< that its next instruction needs
    std::uint8_t load_store_unit = 0;
  };
  static constexpr std::size_t index(WarpState state) { return static_cast<std::size_t>(state); }
  static constexpr std::size_t kMemory = static_cast<std::size_t>(Unit::Memory);

  void stop_waiting(const Warp& warp) {
    if (warp.state != WarpState::Ready)
      schedulers_[warp.scheduler].waiting[index(warp.state)] &= ~(PlaceMask{1} << warp.place);
  }
  /// Warps of a scheduler whose load-store unit takes an access now.
  [[nodiscard]] PlaceMask can_access(const Scheduler& scheduler) const {
    PlaceMask mask = 0;
    for (std::size_t u = 0; u < units_.size(); ++u)
      if (units_[u].has_room()) mask |= scheduler.served_by[u];
    return mask;
  }
  [[nodiscard]] StallReason stall_reason(const Scheduler& scheduler) const;

  std::vector<Scheduler> schedulers_;
  std::vector<Warp> warps_;
  const std::vector<LoadStoreUnit>& units_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace warpscope::timed
