#include "timed/issue/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cachesim/l1/core_seed.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

/// Once per unrolled body, however many iterations it holds.
bool is_loop_overhead(std::size_t instruction_class) {
  static const std::size_t branch = instruction_class_named("branch");
  static const std::size_t compare = instruction_class_named("compare");
  return instruction_class == branch || instruction_class == compare;
}

}  // namespace

const char* name_of(StallReason reason) {
  constexpr std::array<const char*, kStallReasons> kNames = {"load_store_full", "unit_busy", "dependency",
                                                             "memory",          "barrier",   "empty"};
  return kNames[static_cast<std::size_t>(reason)];
}

Core::Core(const CoreSetup& setup, std::uint32_t id)
    : setup_(setup),
      id_(id),
      schedulers_(setup.config.issue.schedulers),
      warps_per_group_(static_cast<std::uint32_t>(
          (setup.source.launch().local.count() + setup.replay.warp_size - 1) / setup.replay.warp_size)),
      warps_(std::size_t{setup.slots} * warps_per_group_),
      scoreboard_(warps_.size() * setup.program.loads()),
      slots_(setup.slots),
      free_slots_(setup.slots),
      queue_limit_(setup.config.l1.queue_entries),
      request_port_(setup.config.memory.request_bytes_per_cycle),
      reply_port_(setup.config.memory.reply_bytes_per_cycle),
      memory_is_ideal_(setup.config.memory.l2_latency == 0) {
  counts_.schedulers.resize(schedulers_.size());
  const std::uint64_t seed = seed_in_launch(setup.config.seed, setup.source.launch().id);
  for (std::uint32_t u = 0; u < setup.config.l1.units; ++u) {
    units_.emplace_back(setup.config.l1, seed_for(seed, id * setup.config.l1.units + u),
                        setup.lines.private_from());
    units_.back().number = static_cast<std::uint8_t>(u);
  }
  for (std::size_t c = 0; c < gap_.size(); ++c) {
    const std::uint32_t latency = setup.config.issue.costs[c].latency;
    gap_[c] = std::max(1u, (latency + setup.config.issue.independent - 1) / setup.config.issue.independent);
  }
}

// Work-groups

void Core::start_group(WorkGroupId group, Cycle at) {
  std::uint32_t slot = 0;
  while (slots_[slot].group != nullptr) ++slot;
  --free_slots_;
  load_group(slot, group, std::max(at, in_cycle_ ? now_ + 1 : now_));
}

void Core::load_group(std::uint32_t slot, WorkGroupId group, Cycle at) {
  loading_ = true;
  WorkGroupTrace trace = setup_.source.read(group);
  if (trace.work_items != setup_.source.launch().local.count()) {
    throw InputError(fmt::format("launch {}, work-group {}: {} work-items, expected {}; capture it again",
                                 trace.launch.value(), group.value(), trace.work_items,
                                 setup_.source.launch().local.count()));
  }
  Slot& place = slots_[slot];
  place.group = std::make_unique<GroupReplay>(setup_.replay, std::move(trace));
  place.unfinished = warps_per_group_;
  place.at_barrier = 0;
  ++counts_.work_groups;
  resident_warps_ += warps_per_group_;
  for (std::uint32_t w = 0; w < warps_per_group_; ++w) {
    const std::uint32_t index = warp_index(slot, w);
    Warp& warp = warps_[index];
    warp = {};
    warp.slot = slot;
    warp.in_group = WarpId(w);
    warp.earliest = at;
    Scheduler& scheduler = scheduler_of(index);
    scheduler.age[index / schedulers_.size()] = arrivals_++;
    scheduler.present |= place_bit(index);
    scheduler.served_by[slot % units_.size()] |= place_bit(index);
    on_arrived(static_cast<std::uint32_t>(index % schedulers_.size()),
               static_cast<WarpPlace>(index / schedulers_.size()));
  }
  issuing_ = false;
  for (std::uint32_t w = 0; w < warps_per_group_; ++w) {
    const std::uint32_t index = warp_index(slot, w);
    settle(index, advance(warps_[index]));
  }
  loading_ = false;
}

/// Work-groups that execute nothing end while they are loaded; the loop then finds their slot free again.
void Core::start_own_groups(Cycle at) {
  while (free_slots_ != 0 && next_own_group_ < own_groups_.size())
    start_group(own_groups_[next_own_group_++], at);
}

bool Core::idle() const {
  return free_slots_ == setup_.slots &&
         std::all_of(units_.begin(), units_.end(),
                     [](const LoadStoreUnit& unit) { return unit.queued == 0; });
}

void Core::free_slot(std::uint32_t slot) {
  freed_.push_back({now_, slots_[slot].group->group()});
  slots_[slot].group.reset();
  ++free_slots_;
  if (!loading_) start_own_groups(now_ + setup_.config.group_start_latency);
}

// Where warps stand

void Core::enter(Warp& warp, Segment segment, std::uint32_t times) {
  warp.now = {setup_.program.op(segment.first), setup_.program.op(segment.end)};
  warp.times = times;
}

/// The access or synchronisation at a site is done.
void Core::leave_site(Warp& warp, const SiteOps& ops) {
  warp.site = kNoSite;
  if (ops.loop_block == ~0u) return enter(warp, ops.after, 1);
  const WalkTrail& trail = slots_[warp.slot].group->trail(warp.in_group);
  const bool goes_on = !trail.empty() && trail.front().kind() == TrailStep::Kind::Block &&
                       trail.front().number() == ops.loop_block;
  enter(warp, ops.every, 1);
  ++warp.bodies;
  if (goes_on && warp.bodies < setup_.config.issue.unroll) return;
  warp.then = {setup_.program.op(ops.after.first), setup_.program.op(ops.after.end)};
  warp.then_times = warp.bodies;
  warp.bodies = 0;
}

/// Whether all lanes of the warp have come to the barrier at which some stand.
bool Core::stands_at_barrier(const Warp& warp) const {
  GroupReplay& group = *slots_[warp.slot].group;
  const WalkTrail& trail = group.trail(warp.in_group);
  return trail.empty() ? group.pending(warp.in_group) == Pending::Barrier
                       : trail.front().kind() == TrailStep::Kind::Barrier;
}

/// Walks to the next instruction, or to what the warp must wait for.
Core::Next Core::advance(Warp& warp) {
  const std::size_t loads = setup_.program.loads();
  for (;;) {
    if (warp.now.op != warp.now.end) {
      const Op& op = *warp.now.op;
      if (op.kind == Op::Kind::Wait) {
        const auto index = static_cast<std::size_t>(&warp - warps_.data());
        if (scoreboard_[index * loads + op.index] != 0) {
          warp.waits_for = op.index;
          return Next::Memory;
        }
        ++warp.now.op;
        continue;
      }
      if (warp.left == 0)
        warp.left = warp.times == 1 || is_loop_overhead(op.index) ? op.count : op.count * warp.times;
      warp.unit = static_cast<std::uint8_t>(setup_.config.issue.costs[op.index].unit);
      return Next::Issue;
    }
    if (warp.then.op != warp.then.end) {
      warp.now = warp.then;
      warp.times = warp.then_times;
      warp.then = {};
      continue;
    }
    if (warp.site != kNoSite) {
      const SiteOps& ops = setup_.program.site(warp.site);
      if (has_address(ops.kind)) {
        warp.unit = static_cast<std::uint8_t>(Unit::Memory);
        return Next::Issue;
      }
      if (ops.kind == AccessKind::Barrier && stands_at_barrier(warp)) return Next::Barrier;
      leave_site(warp, ops);
      continue;
    }
    GroupReplay& group = *slots_[warp.slot].group;
    WalkTrail& trail = group.trail(warp.in_group);
    if (trail.empty()) return group.pending(warp.in_group) == Pending::Barrier ? Next::Barrier : Next::End;
    const TrailStep step = trail.front();
    if (step.kind() == TrailStep::Kind::Barrier) return Next::Barrier;
    trail.pop();
    if (step.kind() == TrailStep::Kind::Block) {
      enter(warp, setup_.program.body(step.number()), 1);
    } else {
      warp.site = step.number();
      enter(warp, setup_.program.site(step.number()).before, 1);
    }
  }
}

void Core::set_state(std::uint32_t index, State state) {
  Warp& warp = warps_[index];
  Scheduler& scheduler = scheduler_of(index);
  const PlaceMask bit = place_bit(index);
  const auto mask = [&](State of) -> PlaceMask* {
    switch (of) {
      case State::Ready:
        return &scheduler.ready[warp.unit];
      case State::Pause:
        return &scheduler.pause;
      case State::Memory:
        return &scheduler.memory;
      case State::Barrier:
        return &scheduler.barrier;
      case State::Absent:
        break;
    }
    return &scheduler.present;
  };
  if (warp.state != State::Absent && warp.state != State::Ready) *mask(warp.state) &= ~bit;
  warp.state = state;
  if (state == State::Absent) {
    scheduler.present &= ~bit;
  } else {
    *mask(state) |= bit;
  }
}

/// Files a warp under what it waits for. It is not in the ready mask of any unit.
void Core::settle(std::uint32_t index, Next next) {
  Warp& warp = warps_[index];
  switch (next) {
    case Next::Issue:
      if (warp.earliest <= now_ + (issuing_ ? 1 : 0)) return set_state(index, State::Ready);
      set_state(index, State::Pause);
      return wheel_.add(now_, warp.earliest, index);
    case Next::Memory:
      return set_state(index, State::Memory);
    case Next::Barrier:
      return arrive_at_barrier(index);
    case Next::End:
      return finish_warp(index);
  }
}

void Core::arrive_at_barrier(std::uint32_t index) {
  set_state(index, State::Barrier);
  const std::uint32_t slot = warps_[index].slot;
  ++slots_[slot].at_barrier;
  open_barrier_if_full(slot);
}

/// Every unfinished warp of the work-group has arrived: all go on, in the next cycle or, in fixed order,
/// where a barrier takes no turn, at once.
void Core::open_barrier_if_full(std::uint32_t slot) {
  Slot& place = slots_[slot];
  if (place.at_barrier == 0 || place.at_barrier != place.unfinished) return;
  place.at_barrier = 0;
  for (std::uint32_t w = 0; w < warps_per_group_; ++w) {
    const std::uint32_t index = warp_index(slot, w);
    Warp& warp = warps_[index];
    if (warp.state != State::Barrier) continue;
    place.group->trail(warp.in_group).pop();  // the mark that the replay left when it passed
    if (warp.site != kNoSite) leave_site(warp, setup_.program.site(warp.site));
    set_state(index, State::Pause);
    if (setup_.config.issue.barriers_take_a_cycle) {
      warp.earliest = std::max(warp.earliest, now_ + 1);
      wheel_.add(now_, warp.earliest, index);
    } else {
      warp.earliest = std::max(warp.earliest, now_ + (issuing_ ? 1 : 0));
      past_barrier_.push_back(index);
    }
  }
  if (setup_.config.issue.barriers_take_a_cycle)
    issuing_ = false;
  else
    go_past_barrier();
}

/// Not by recursion: a loop may hold nothing but a barrier.
void Core::go_past_barrier() {
  if (passing_barrier_) return;
  passing_barrier_ = true;
  while (!past_barrier_.empty()) {
    const std::uint32_t index = past_barrier_.front();
    past_barrier_.pop_front();
    settle(index, advance(warps_[index]));
  }
  passing_barrier_ = false;
}

void Core::finish_warp(std::uint32_t index) {
  Warp& warp = warps_[index];
  if (warp.outstanding != 0) {  // its registers are still to be written
    warp.waits_for = kAllLoads;
    return set_state(index, State::Memory);
  }
  set_state(index, State::Absent);
  scheduler_of(index).served_by[warp.slot % units_.size()] &= ~place_bit(index);
  on_left(static_cast<std::uint32_t>(index % schedulers_.size()),
          static_cast<WarpPlace>(index / schedulers_.size()));
  finished_at_ = std::max(finished_at_, now_ + 1);
  --resident_warps_;
  if (!loading_) ++counts_.warp_cycles;  // it was there in this cycle, which skip_to() counts without it
  const std::uint32_t slot = warp.slot;
  if (--slots_[slot].unfinished == 0) return free_slot(slot);
  open_barrier_if_full(slot);
}

// Issue

PlaceMask Core::candidates(const Scheduler& scheduler) const {
  PlaceMask mask = 0;
  for (std::size_t u = 0; u < kUnits; ++u)
    if (scheduler.unit_free[u] <= now_) mask |= scheduler.ready[u];
  const PlaceMask access = scheduler.ready[static_cast<std::size_t>(Unit::Memory)];
  if (access != 0) mask &= ~access | can_access(scheduler);
  return mask;
}

PlaceMask Core::can_access(const Scheduler& scheduler) const {
  PlaceMask mask = 0;
  for (std::size_t u = 0; u < units_.size(); ++u)
    if (has_room(units_[u])) mask |= scheduler.served_by[u];
  return mask;
}

void Core::issue(std::uint32_t index) {
  Warp& warp = warps_[index];
  scheduler_of(index).ready[warp.unit] &= ~place_bit(index);
  if (warp.unit == static_cast<std::uint8_t>(Unit::Memory)) {
    issue_access(index, warp);
  } else {
    issue_compute(index, warp);
  }
  issuing_ = true;
  settle(index, advance(warp));
  issuing_ = false;
}

void Core::issue_compute(std::uint32_t index, Warp& warp) {
  const std::size_t which = warp.now.op->index;
  ++counts_.instructions;
  scheduler_of(index).unit_free[warp.unit] = now_ + setup_.config.issue.costs[which].interval;
  warp.earliest = now_ + gap_[which];
  if (--warp.left == 0) ++warp.now.op;
}

Token Core::open_flight(std::uint32_t warp, LoadIndex load) {
  Token token = 0;
  if (free_flights_.empty()) {
    token = static_cast<Token>(flights_.size());
    flights_.emplace_back();
  } else {
    token = free_flights_.back();
    free_flights_.pop_back();
  }
  flights_[token] = {warp, 1, now_, 0, load};
  ++scoreboard_[std::size_t{warp} * setup_.program.loads() + load];
  ++warps_[warp].outstanding;
  return token;
}

Core::QueuedAccess& Core::push_access(LoadStoreUnit& unit) {
  auto& queue = unit.queue;
  if (unit.queued == queue.size()) {
    std::rotate(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(unit.head), queue.end());
    unit.head = 0;
    queue.resize(std::max<std::size_t>(8, queue.size() * 2));
  }
  QueuedAccess& queued = queue[(unit.head + unit.queued++) % queue.size()];
  queued.next = 0;
  queued.began = queued.failing_since = kNever;
  return queued;
}

void Core::issue_access(std::uint32_t index, Warp& warp) {
  const SiteOps& ops = setup_.program.site(warp.site);
  slots_[warp.slot].group->make_access(warp.in_group, access_);
  access_.core = CoreId(id_);
  if (setup_.tap != nullptr) setup_.tap->access(access_);
  LoadStoreUnit& unit = units_[warp.slot % units_.size()];
  QueuedAccess& queued = push_access(unit);
  setup_.lines.prepare(access_, queued.access);
  for (const LineLookup& lookup : queued.access.lines) unit.l1.prefetch(lookup.line);
  queued.token = ops.load == kNoLoad ? kNoToken : open_flight(index, ops.load);
  OriginCounts& counts = origin_counts(queued.access.origin);
  counts.lanes += std::uint64_t{queued.access.lanes} * ops.instructions;
  if (!makes_transactions(queued.access.destination)) counts.outside_requests += ops.instructions;
  counts_.instructions += ops.instructions;
  counts_.memory_instructions += ops.instructions;
  scheduler_of(index).unit_free[warp.unit] = now_ + ops.instructions;
  warp.earliest = now_ + 1;
  leave_site(warp, ops);
}

OriginCounts& Core::origin_counts(OriginId origin) {
  if (origin.value() >= counts_.origins.size()) counts_.origins.resize(origin.value() + 1u);
  return counts_.origins[origin.value()];
}

// Time

void Core::begin_cycle() {
  in_cycle_ = true;
  issuing_ = false;
  take_replies();
  wheel_.take(now_, [&](EventWheel::Event event) {
    if ((event & kDone) != 0) return complete(event & ~kDone);
    settle(event, advance(warps_[event]));
  });
}

void Core::end_cycle() {
  for (LoadStoreUnit& unit : units_) look_up(unit);
}

Cycle Core::next_cycle(Cycle end) const {
  Cycle next = std::min(end, wheel_.next_after(now_));
  if (!replies_.empty()) next = std::min(next, replies_.front().time);
  for (const LoadStoreUnit& unit : units_)
    if (unit.queued != 0 && !unit.blocked) next = std::min(next, unit.lookup_at);
  for (const Scheduler& scheduler : schedulers_) {
    for (std::size_t u = 0; u < kUnits; ++u) {
      PlaceMask ready = scheduler.ready[u];
      if (ready != 0 && u == static_cast<std::size_t>(Unit::Memory)) ready &= can_access(scheduler);
      if (ready == 0) continue;
      next = std::min(next, scheduler.unit_free[u]);
    }
  }
  return std::max(next, now_ + 1);
}

StallReason Core::reason_of(const Scheduler& scheduler) const {
  PlaceMask ready = 0;
  for (const PlaceMask mask : scheduler.ready) ready |= mask;
  const PlaceMask access = scheduler.ready[static_cast<std::size_t>(Unit::Memory)];
  if ((access & ~can_access(scheduler)) != 0) return StallReason::LoadStoreFull;
  if (ready != 0) return StallReason::UnitBusy;
  if (scheduler.pause != 0) return StallReason::Dependency;
  if (scheduler.memory != 0) return StallReason::Memory;
  return scheduler.barrier != 0 ? StallReason::Barrier : StallReason::Empty;
}

/// Counts the cycles from now_ up to `next`, in all but the first of which nothing happens.
void Core::skip_to(Cycle next, const bool* issued) {
  const Cycle cycles = next - now_;
  for (std::size_t s = 0; s < schedulers_.size(); ++s) {
    SchedulerCounts& counts = counts_.schedulers[s];
    counts.issue_cycles += issued[s] ? 1 : 0;
    const Cycle idle = cycles - (issued[s] ? 1 : 0);
    if (idle != 0) counts.stalls[static_cast<std::size_t>(reason_of(schedulers_[s]))] += idle;
  }
  counts_.warp_cycles += resident_warps_ * cycles;
  now_ = next;
  in_cycle_ = false;
}

}  // namespace warpscope::timed
