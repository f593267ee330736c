#pragma once
// The warp schedulers of a core: which of its warps can issue in a cycle, and why the others cannot. Which of those that
// can does issue is the policy's choice.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/replay/prefetch.h"
#include "timed/config/config.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/issue_policy.h"
#include "timed/program/machine_program.h"

namespace warpscope::timed {

/// What a warp waits for.
enum class WarpState : std::uint8_t {
  Ready,    ///< waits for its turn, or for the unit that its next instruction needs
  Pause,    ///< waits for the result of a short instruction
  Memory,   ///< waits for the data of a load
  Barrier,  ///< waits for the other warps of its work-group
  Absent,   ///< not on the core
};

class IssueStage {
 public:
  /// Warps that a scheduler can hold.
  static constexpr std::uint32_t kPlaces = 64;

  /// For `warps` numbered from 0: warp w has place w / schedulers of scheduler w mod schedulers.
  IssueStage(const IssueConfig& config, std::size_t warps);

  [[nodiscard]] std::uint32_t schedulers() const { return count_; }
  [[nodiscard]] std::uint32_t scheduler_of(std::uint32_t warp) const { return warps_[warp].scheduler; }
  [[nodiscard]] WarpPlace place_of(std::uint32_t warp) const { return warps_[warp].place; }
  [[nodiscard]] std::size_t load_store_unit_of(std::uint32_t warp) const {
    return warps_[warp].load_store_unit;
  }
  [[nodiscard]] std::uint32_t warp_at(std::uint32_t scheduler, WarpPlace place) const {
    return place * count_ + scheduler;
  }

  /// The host fetches what every cycle reads.
  void prefetch() const {
    prefetch_lines(schedulers_);
    prefetch_lines(pauses_);
    prefetch_lines(warps_);
  }

  /// The warp takes its place; its accesses go to load-store unit `unit`. `group`: a number of its work-group, larger than those of
  /// the work-groups that arrived before.
  void arrive(std::uint32_t warp, std::size_t unit, std::uint64_t group);
  void leave(std::uint32_t warp);
  /// The next instruction of a warp that waits for nothing needs `unit`.
  void make_ready(std::uint32_t scheduler, WarpPlace place, Unit unit) {
    Scheduler& of = schedulers_[scheduler];
    of.ready[static_cast<std::size_t>(unit)] |= PlaceMask{1} << place;
    of.any_ready |= PlaceMask{1} << place;
    wanting_ |= 1u << scheduler;
    changed_ |= 1u << scheduler;
  }
  /// A warp that is not ready waits for memory or at a barrier, until resume().
  void make_wait(std::uint32_t warp, WarpState state) {
    Warp& waiting = warps_[warp];
    waiting.state = state;
    changed_ |= 1u << waiting.scheduler;
    schedulers_[waiting.scheduler].waiting[index(state)] |= PlaceMask{1} << waiting.place;
  }
  void resume(std::uint32_t warp) {
    Warp& waiting = warps_[warp];
    changed_ |= 1u << waiting.scheduler;
    schedulers_[waiting.scheduler].waiting[index(waiting.state)] &= ~(PlaceMask{1} << waiting.place);
    waiting.state = WarpState::Ready;
  }
  /// Memory, Barrier or Absent if it is that, else Ready: of warps that pause nothing is noted.
  [[nodiscard]] WarpState state(std::uint32_t warp) const { return warps_[warp].state; }

  /// Whether a pause from `now` to `at`, which is later, is short enough for pause().
  static bool takes_pause(Cycle now, Cycle at) { return at - now < kPauses; }
  /// A warp that waits for nothing pauses until cycle `at`.
  void pause(std::uint32_t warp, Cycle at) {
    const std::size_t slot = at % kPauses;
    pauses_[slot * words_ + warp / 64] |= std::uint64_t{1} << (warp % 64);
    pausing_ |= 1u << slot;
  }
  /// Calls `use(warp)` for every warp whose pause ends in cycle `now`; every cycle with one must be taken.
  template <class Use>
  void end_pauses(Cycle now, const Use& use) {
    const std::size_t slot = now % kPauses;
    if ((pausing_ >> slot & 1) == 0) return;
    pausing_ &= ~(1u << slot);
    std::uint64_t* const ends = &pauses_[slot * words_];
    for (std::uint32_t word = 0; word < words_; ++word) {
      for (std::uint64_t left = ends[word]; left != 0; left &= left - 1)
        use(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
      ends[word] = 0;
    }
  }
  /// The first cycle after `now` in which a pause ends; kNever if there is none.
  [[nodiscard]] Cycle next_pause(Cycle now) const {
    if (pausing_ == 0) return kNever;
    const auto turned = std::rotr(pausing_, static_cast<int>((now + 1) % kPauses));
    return now + 1 + static_cast<Cycle>(std::countr_zero(turned));
  }

  /// Whether load-store unit `unit` takes no access from cycle `now` on.
  void set_full(std::size_t unit, bool full, Cycle now) {
    const std::uint32_t before = full_;
    full_ = (full_ & ~(1u << unit)) | static_cast<std::uint32_t>(full) << unit;
    if (full_ == before) return;
    changed_ = ~0u;
    if ((before != 0) == (full_ != 0)) return;
    if (full_ != 0)
      full_since_ = now;
    else
      full_cycles_ += now - full_since_;
  }
  /// Whether the memory queue of a scheduler takes no access from cycle `now` on.
  void set_queue_full(std::uint32_t scheduler, bool full, Cycle now) {
    Scheduler& of = schedulers_[scheduler];
    if (of.queue_full == full) return;
    of.queue_full = full;
    changed_ |= 1u << scheduler;
    if (full)
      of.full_since = now;
    else
      of.full_cycles += now - of.full_since;
  }
  /// A bit per scheduler that has ready warps, whether or not their units are free.
  [[nodiscard]] std::uint32_t wanting() const { return wanting_; }
  /// Warps that can issue in cycle `now`.
  [[nodiscard]] PlaceMask candidates(std::uint32_t scheduler, Cycle now) const {
    const Scheduler& of = schedulers_[scheduler];
    if (of.held > now) return 0;
    const PlaceMask mask = of.any_ready & ~busy_of(of, now);
    return full_ == 0 && !of.queue_full ? mask : mask & ~(of.ready[kMemory] & ~can_access(of));
  }
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
            of.older.data(),
            of.same.data()};
  }
  /// A ready warp, whose instruction needs `unit`, issues, which occupies the unit for `interval` cycles.
  void issued(std::uint32_t scheduler, WarpPlace place, Unit unit, Cycle now, std::uint32_t interval) {
    Scheduler& of = schedulers_[scheduler];
    take(of, scheduler, place, unit);
    of.unit_free[index(unit)] = now + interval;
  }
  /// The same of machine code, whose units share pipes and ports.
  void issued(std::uint32_t scheduler, WarpPlace place, const MachineOp& op, Cycle now) {
    Scheduler& of = schedulers_[scheduler];
    take(of, scheduler, place, op.unit);
    if (op.occupies == MachineOp::Occupies::Unit)
      occupy(of, op.unit, now + op.interval, now);
    else
      occupy_several(of, op, now);
  }
  /// A ready warp, whose instruction needs `unit`, does not issue after all, nor does any other of its scheduler before cycle `until`.
  void hold(std::uint32_t scheduler, WarpPlace place, Unit unit, Cycle until) {
    Scheduler& of = schedulers_[scheduler];
    take(of, scheduler, place, unit);
    of.held = std::max(of.held, until);
  }
  /// Cycles up to `now` in which an instruction for `unit` could not have issued: the unit was busy, or the queue in front of the L1 full.
  [[nodiscard]] Cycle busy_until(std::uint32_t scheduler, Unit unit, Cycle now) const {
    const Scheduler& of = schedulers_[scheduler];
    const std::size_t u = index(unit);
    Cycle busy = of.busy[u] - (of.unit_free[u] > now ? of.unit_free[u] - now : 0);
    if (unit == Unit::Memory)
      busy += full_cycles_ + (full_ != 0 && now > full_since_ ? now - full_since_ : 0) + of.full_cycles +
              (of.queue_full && now > of.full_since ? now - of.full_since : 0);
    return busy;
  }

  /// The first cycle in which a warp that is ready now can issue, if nothing else changes; kNever without one. If that
  /// is `soonest` or before, some cycle up to `soonest`.
  [[nodiscard]] Cycle next_issue(Cycle soonest) const {
    Cycle next = kNever;
    for (const Scheduler& of : schedulers_) {
      for (std::size_t u = 0; u < kUnits; ++u) {
        const PlaceMask ready = u == kMemory ? of.ready[u] & can_access(of) : of.ready[u];
        next = std::min(next, ready != 0 ? std::max(of.unit_free[u], of.held) : kNever);
      }
      if (next <= soonest) return next;
    }
    return next;
  }
  /// Warps of `mask` whose next instruction needs the load-store unit.
  [[nodiscard]] PlaceMask accessing(std::uint32_t scheduler, PlaceMask mask) const {
    return schedulers_[scheduler].ready[kMemory] & mask;
  }
  /// A scheduler issues in cycle `now`.
  void count_issue(std::uint32_t scheduler, Cycle now, SchedulerCounts& counts) {
    Scheduler& of = schedulers_[scheduler];
    counts.stalls[index(of.reason)] += now - of.counted;
    ++counts.issue_cycles;
    of.counted = now + 1;
  }
  /// Cycle `now` is over, in which the schedulers of the bits of `issued` have issued, which is counted. Until something changes, none does;
  /// where one has, the next cycle is counted, too, and only if it does not issue in that is a reason looked for.
  void count(Cycle now, std::uint32_t issued, SchedulerCounts* counts) {
    const PlaceMask all = (PlaceMask{1} << count_) - 1;
    for (PlaceMask left = std::exchange(changed_, issued) & ~PlaceMask{issued} & all; left != 0;
         left &= left - 1) {
      const auto s = static_cast<std::uint32_t>(std::countr_zero(left));
      Scheduler& of = schedulers_[s];
      counts[s].stalls[index(of.reason)] += now - of.counted;
      of.counted = now;
      of.reason = stall_reason(of);
    }
  }
  /// Everything up to cycle `now`, which is not over.
  void count_all(Cycle now, SchedulerCounts* counts) {
    for (Scheduler& of : schedulers_) {
      counts->stalls[index(of.reason)] += now - of.counted;
      of.counted = now;
      ++counts;
    }
  }
  /// Time begins.
  void begin(Cycle now) {
    for (Scheduler& of : schedulers_) of.counted = now;
  }

 private:
  static constexpr std::size_t kPauses = 32;  ///< cycles
  struct Scheduler {
    std::array<PlaceMask, kUnits> ready{};  ///< indexed by the unit that the next instruction needs
    PlaceMask any_ready = 0;                ///< all of `ready`
    std::array<Cycle, kUnits> unit_free{};
    Cycle held = 0;                         ///< nothing issues before
    bool queue_full = false;                ///< its memory queue
    Cycle full_since = 0, full_cycles = 0;  ///< of that: before the last time that it was
    Cycle light_free = 0;                   ///< of two pipes for fp32, that which does not multiply integers
    std::array<Cycle, kUnits>
        busy{};             ///< of machine code: cycles in which the unit was busy, up to unit_free
    PlaceMask present = 0;  ///< warps on the core; those in no other mask are in Pause
    std::array<PlaceMask, 5> waiting{};                      ///< indexed by WarpState, for Memory and Barrier
    std::array<PlaceMask, kMostLoadStoreUnits> served_by{};  ///< warps by load-store unit
    Cycle counted = 0;  ///< cycles before it are counted, those from it on are of `reason`
    StallReason reason = StallReason::Empty;
    std::array<std::uint64_t, kPlaces> age{}, group{};
    std::array<PlaceMask, kPlaces> older{}, same{};  ///< warps of older work-groups, and of its own
  };
  struct Warp {
    std::uint16_t scheduler = 0;
    std::uint8_t place = 0;
    WarpState state = WarpState::Absent;
    std::uint8_t load_store_unit = 0;
  };
  static constexpr std::size_t index(WarpState state) { return static_cast<std::size_t>(state); }
  static constexpr std::size_t index(Unit unit) { return static_cast<std::size_t>(unit); }
  static constexpr std::size_t index(StallReason reason) { return static_cast<std::size_t>(reason); }
  static constexpr Cycle kPortCycles =
      2;  ///< for which an instruction occupies a port of 16 lanes that units share
  static void occupy(Scheduler& of, Unit unit, Cycle until, Cycle now) {
    Cycle& free = of.unit_free[index(unit)];
    const Cycle from = std::max(free, now);
    of.busy[index(unit)] += until > from ? until - from : 0;
    free = std::max(free, until);
  }
  static void join(Scheduler& of, std::uint32_t place);
  static void occupy_several(Scheduler& of, const MachineOp& op, Cycle now);
  void take(Scheduler& of, std::uint32_t scheduler, WarpPlace place, Unit unit) {
    const std::size_t u = index(unit);
    of.ready[u] &= ~(PlaceMask{1} << place);
    of.any_ready &= ~(PlaceMask{1} << place);
    wanting_ ^= static_cast<std::uint32_t>(of.any_ready == 0) << scheduler;
    changed_ |= 1u << scheduler;
  }
  static constexpr std::size_t kMemory = static_cast<std::size_t>(Unit::Memory);

  /// Ready warps whose units are busy in cycle `now`. Without a branch, which the host could not predict: of all units, and signed, as cycles
  /// fit and as it compares them at once.
  [[nodiscard]] static PlaceMask busy_of(const Scheduler& scheduler, Cycle now) {
    PlaceMask busy = 0;
    for (std::size_t u = 0; u < kUnits; ++u)
      busy |= static_cast<std::int64_t>(scheduler.unit_free[u]) > static_cast<std::int64_t>(now)
                  ? scheduler.ready[u]
                  : 0;
    return busy;
  }

  /// Warps of a scheduler whose load-store unit takes an access now.
  [[nodiscard]] PlaceMask can_access(const Scheduler& scheduler) const {
    PlaceMask mask = scheduler.queue_full ? 0 : ~PlaceMask{0};
    for (std::uint32_t full = full_; full != 0; full &= full - 1)
      mask &= ~scheduler.served_by[static_cast<std::size_t>(std::countr_zero(full))];
    return mask;
  }
  [[nodiscard]] StallReason stall_reason(const Scheduler& of) const {
    if (of.any_ready != 0)
      return (full_ != 0 || of.queue_full) && (of.ready[kMemory] & ~can_access(of)) != 0
                 ? StallReason::LoadStoreFull
                 : StallReason::UnitBusy;
    const PlaceMask memory = of.waiting[index(WarpState::Memory)],
                    barrier = of.waiting[index(WarpState::Barrier)];
    if ((of.present & ~(memory | barrier)) != 0) return StallReason::Dependency;
    if (memory != 0) return StallReason::Memory;
    return barrier != 0 ? StallReason::Barrier : StallReason::Empty;
  }

  std::uint32_t count_;
  std::uint32_t changed_ = ~0u;             ///< a bit per scheduler that may have another reason to stall
  std::uint32_t wanting_ = 0;               ///< a bit per scheduler whose `any_ready` is not 0
  std::uint32_t full_ = 0;                  ///< a bit per load-store unit
  Cycle full_since_ = 0, full_cycles_ = 0;  ///< before the last time that it was full
  std::uint32_t pausing_ = 0;               ///< a bit per slot of pauses_ that has some
  std::vector<Scheduler> schedulers_;
  std::uint32_t words_;                ///< of 64 warps each
  std::vector<std::uint64_t> pauses_;  ///< [cycle mod kPauses][word]: a bit per warp whose pause ends in it
  std::vector<Warp> warps_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace warpscope::timed
