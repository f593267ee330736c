#include "timed/issue/core.h"

#include <algorithm>
#include <bit>

#include "cachesim/l1/core_seed.h"

namespace warpscope::timed {
namespace {

std::uint32_t warps_per_group(const CoreSetup& setup) {
  const std::uint64_t warp_size = setup.replay.warp_size;
  return static_cast<std::uint32_t>((setup.source.launch().local.count() + warp_size - 1) / warp_size);
}

std::vector<LoadStoreUnit> load_store_units(const CoreSetup& setup, std::uint32_t core,
                                            const LoadStoreParts& parts) {
  const std::uint64_t seed = seed_in_launch(setup.config.seed, setup.source.launch().id);
  const std::uint32_t count = setup.config.l1.units;
  std::vector<LoadStoreUnit> units;
  for (std::uint32_t u = 0; u < count; ++u)
    units.emplace_back(parts, static_cast<std::uint8_t>(u), seed_for(seed, core * count + u));
  return units;
}

struct LookedUp {
  std::uint64_t hits = 0, others = 0;
};

/// Transactions of the L1 so far.
LookedUp looked_up(const CoreCounts& counts) {
  LookedUp sum;
  for (const OriginCounts& origin : counts.origins) {
    sum.hits += origin.hits;
    sum.others += origin.hits_pending + origin.sector_misses + origin.misses + origin.bypasses;
  }
  return sum;
}

}  // namespace

Core::Core(const CoreSetup& setup, std::uint32_t id, bool watches_l1)
    : setup_(setup),
      id_(id),
      groups_(setup.slots, warps_per_group(setup), setup.config.issue.interleave_groups),
      warps_(groups_.most_warps()),
      walk_(setup.program, setup.config.issue),
      flights_(groups_.most_warps(), setup.machine != nullptr ? kCountersOfWarp : setup.program.loads()),
      port_(setup.config, id, counts_),
      watch_(watches_l1 ? std::optional<L1Watch>(setup.config.l1.units) : std::nullopt),
      units_(load_store_units(
          setup, id, {setup.config.l1, setup.lines, flights_, port_, counts_, watch_ ? &*watch_ : nullptr})),
      issue_(setup.config.issue, groups_.most_warps()),
      wheel_(groups_.most_warps()) {
  counts_.schedulers.resize(issue_.schedulers());
  if (setup.machine == nullptr) return;
  machine_.emplace(*setup.machine);
  setup.stalls.resize(setup.machine->instructions());
  stalls_.emplace(groups_.most_warps(), counts_.warp_stalls, setup.stalls);
  if (setup.config.issue.machine.memory_queue_entries != 0) {
    memory_queues_.resize(issue_.schedulers());
    for (LoadStoreUnit& unit : units_) unit.remove_queue_limit();
  }
  const FetchTimes& fetch = setup.config.issue.machine.fetch;
  if (!fetch.has_caches()) return;
  fetch_.emplace(fetch, issue_.schedulers(), setup.machine->entry());
  fetches_instructions_ = fetch_->has_instructions();
  fetches_operands_ = fetch_->has_operands();
}

void Core::prefetch() const {
  prefetch_lines(this, sizeof(Core));
  for (const Warp& warp : warps_) prefetch_lines(&warp, machine_ ? kHotOfWarp : sizeof(Warp));
  prefetch_lines(units_);
  issue_.prefetch();
  flights_.prefetch();
  if (stalls_) stalls_->prefetch();
  for (const LoadStoreUnit& unit : units_) unit.prefetch_outstanding();
  for (std::uint32_t slot = 0; slot < groups_.slots(); ++slot) {
    const GroupReplay* const group = groups_.group(slot);
    for (std::uint32_t w = 0; group != nullptr && w < groups_.warps_per_group(); ++w)
      group->prefetch_walk(WarpId(w));
  }
  for (const MemoryReply& reply : port_.replies())
    if (reply.token == kNoToken) units_[reply.unit].prefetch(LineAddr(reply.line));
}

/// One step further, when what prefetch() asked for has come.
void Core::prefetch_replies() const {
  for (const MemoryReply& reply : port_.replies())
    if (reply.token == kNoToken) units_[reply.unit].prefetch_way(LineAddr(reply.line));
}

// Where warps are. Throughout, `turn` is the cycle in which a warp can issue next: this one, or the one after
// it where the warp has just issued.

/// A warp of a started work-group goes on, which may end work-groups and make room for others.
void Core::move(std::uint32_t number, Cycle turn) {
  Warp& warp = warps_[number];
  const WarpWalk::Next next = advance(warp);
  if (next == WarpWalk::Next::Issue) {
    prefetch_access(warp);
    return pause_or_become_ready(number, turn);
  }
  if (next == WarpWalk::Next::Memory) {
    if (fetches_instructions_) fetch_instructions(number);
    return wait(number, WarpState::Memory);
  }
  const std::uint32_t warps = groups_.warps();
  stop(number, next, turn);
  go_past_barrier(turn);
  if (groups_.warps() == warps) return;
  const std::uint32_t ended = warps - groups_.warps();
  counts_.warp_cycles += ended;  // they were there in this cycle: skip() counts without them
  warp_changes_.push_back({now_ + 1, -std::int64_t{ended}});
  warps_noted_ -= ended;
  warp_ended_at_ = now_;
  start_own_groups(now_ + std::max(1u, setup_.config.group_start_latency));
}

/// Not by recursion: a loop may hold nothing but a barrier.
void Core::go_past_barrier(Cycle turn) {
  while (!past_barrier_.empty()) {
    const std::uint32_t warp = past_barrier_.front();
    past_barrier_.pop_front();
    walk(warp, turn);
  }
}

/// Files a warp, which is in the ready mask of no unit, under what it comes to. True if that can concern other
/// warps.
bool Core::walk(std::uint32_t number, Cycle turn) {
  Warp& warp = warps_[number];
  const WarpWalk::Next next = advance(warp);
  if (next == WarpWalk::Next::Issue) {
    pause_or_become_ready(number, turn);
    return false;
  }
  if (next == WarpWalk::Next::Memory) {
    wait(number, WarpState::Memory);
    return false;
  }
  stop(number, next, turn);
  return true;
}

/// A warp comes to a barrier or to its end.
void Core::stop(std::uint32_t number, WarpWalk::Next at, Cycle turn) {
  if (at == WarpWalk::Next::End) return finish_warp(number, turn);
  const std::uint32_t slot = warps_[number].slot;
  wait(number, WarpState::Barrier);
  groups_.arrive_at_barrier(slot);
  open_barrier_if_full(slot, turn);
}

/// Every unfinished warp of the work-group has arrived: all go on, in the next cycle or, in fixed order,
/// where a barrier takes no turn, at once.
void Core::open_barrier_if_full(std::uint32_t slot, Cycle turn) {
  if (!groups_.open_barrier(slot)) return;
  const bool at_once = !setup_.config.issue.barriers_take_a_cycle;
  for (std::uint32_t w = 0; w < groups_.warps_per_group(); ++w) {
    const std::uint32_t number = groups_.number_of(slot, w);
    if (issue_.state(number) != WarpState::Barrier) continue;
    issue_.resume(number);
    Warp& warp = warps_[number];
    pass_barrier(number, warp);
    warp.earliest = std::max(warp.earliest, at_once ? turn : now_ + 1);
    if (at_once)
      past_barrier_.push_back(number);
    else
      pause(number, 0);
  }
}

void Core::finish_warp(std::uint32_t number, Cycle turn) {
  Warp& warp = warps_[number];
  if (warp.copies != kNoToken) close_copies(warp, kNoCounter);
  if (machine_) drains(number, warp, turn);
  if (flights_.outstanding(number, kAllLoads)) {  // its registers are still to be written
    warp.at.waits_for = kAllLoads;
    return wait(number, WarpState::Memory);
  }
  issue_.leave(number);
  if (setup_.timeline != nullptr) setup_.timeline->become(number, WarpState::Absent, turn);
  on_left(issue_.scheduler_of(number), issue_.place_of(number));
  groups_.warp_ended(warp.slot, now_);
  open_barrier_if_full(warp.slot, turn);
}

// Issue

void Core::issue(std::uint32_t scheduler, WarpPlace place) {
  const std::uint32_t number = issue_.warp_at(scheduler, place);
  Warp& warp = warps_[number];
  if (fetches_operands_ && warp.at.op->constant != kNoConstant && waits_for_constant(scheduler, place, warp))
    return;
  if (setup_.timeline != nullptr) setup_.timeline->issue(number, warp.at.unit == Unit::Memory, now_);
  if (machine_) return issue_machine(scheduler, place, warp);
  if (warp.at.unit == Unit::Memory) return issue_access(scheduler, place, warp);
  issue_instruction(scheduler, place, warp);
  if (warp.at.left == 0 && !walk_.at_instruction(warp.at)) return move(number, now_ + 1);
  if (warp.earliest > now_ + 1 && IssueStage::takes_pause(now_, warp.earliest) && setup_.timeline == nullptr)
    return issue_.pause(number, warp.earliest);
  pause_or_become_ready(number, now_ + 1);
}

inline void Core::issue_instruction(std::uint32_t scheduler, WarpPlace place, Warp& warp) {
  const Op& op = *warp.at.now.op;
  ++counts_.instructions;
  issue_.issued(scheduler, place, warp.at.unit, now_, setup_.config.issue.costs[op.index].interval);
  warp.late += op.gap;
  warp.earliest = now_ + warp.late / Op::kGapsPerCycle;
  warp.late %= Op::kGapsPerCycle;
  WarpWalk::pass_instruction(warp.at);
}

void Core::issue_access(std::uint32_t scheduler, WarpPlace place, Warp& warp) {
  const std::uint32_t number = issue_.warp_at(scheduler, place);
  const SiteOps& ops = walk_.site(warp.at);
  warp.walking.group->make_access(warp.walking.number, access_);
  access_.core = CoreId(id_);
  if (setup_.tap != nullptr) setup_.tap->access(access_);
  const Token token = ops.load == kNoLoad ? kNoToken : flights_.open(number, ops.load, now_);
  const std::size_t u = issue_.load_store_unit_of(number);
  units_[u].push(access_, ops.instructions, token, number);
  issue_.set_full(u, !units_[u].has_room(), now_);
  counts_.instructions += ops.instructions;
  counts_.memory_instructions += ops.instructions;
  issue_.issued(scheduler, place, Unit::Memory, now_, ops.instructions);
  warp.earliest = now_ + 1;
  walk_.leave_site(warp.at, warp.walking);
  if (walk_.at_instruction(warp.at)) return pause_or_become_ready(number, now_ + 1);
  move(number, now_ + 1);
}

// Loads come back

void Core::arrive(const MemoryReply& reply) {
  if (reply.token != kNoToken) return part_arrived(reply.token);
  for (const Token token : units_[reply.unit].fill(now_, LineAddr(reply.line), reply.sectors))
    part_arrived(token);
}

void Core::part_arrived(Token token) {
  const Cycle at = flights_.part_arrived(token);
  if (at == kNever) return;
  if (at <= now_) return complete(token);
  wheel_.add(now_, at, kDone | token);
}

/// The data of a load is there.
void Core::complete(Token token) {
  const Flight flight = flights_.land(token);
  if (flight.is_load) {
    counts_.load_latency += now_ - flight.issued;
    ++counts_.loads;
  }
  if (issue_.state(flight.warp) != WarpState::Memory) return;
  if (waits_on(flight.warp)) return;
  if (stalls_) count_wait(flight.warp);
  issue_.resume(flight.warp);
  move(flight.warp, now_);
}

// Time

void Core::take_replies() {
  while (const auto reply = port_.take_reply(now_)) arrive(*reply);
}

void Core::take_events() {
  wheel_.take(now_, [&](EventWheel::Event event) {
    if ((event & kDone) != 0)
      complete(event & ~kDone);
    else if ((event & kAtInstruction) != 0)
      become_ready(event & ~kAtInstruction, now_);
    else if ((event & kFreesEntry) != 0)
      free_entry(event & ~kFreesEntry);
    else if ((event & kEnters) != 0)
      units_[(event & ~kEnters) / kUnitStep].enter(event % kUnitStep);
    else
      move(event, now_);
  });
}

void Core::look_up() {
  for (std::size_t u = 0; u < units_.size(); ++u) {
    LoadStoreUnit& unit = units_[u];
    while (unit.next_look_up() <= now_) {
      if (const std::uint8_t scheduler = unit.begins(); scheduler != LoadStoreUnit::kNoEntry)
        wheel_.add(now_, now_ + kEntryCycles, kFreesEntry | scheduler);
      const auto token = unit.look_up(now_);
      if (!token) break;
      issue_.set_full(u, false, now_ + 1);
      if (*token != kNoToken) part_arrived(*token);
    }
  }
}

void Core::look_up_recorded() {
  if (!setup_.timeline->records(now_)) return look_up();
  const LookedUp before = looked_up(counts_);
  look_up();
  const LookedUp after = looked_up(counts_);
  setup_.timeline->look_ups(now_, after.hits - before.hits, after.others - before.others);
}

inline Cycle Core::next_cycle(Cycle end) const {
  Cycle next = issue_.next_issue(now_ + 1);
  if (next <= now_ + 1) return now_ + 1;
  next = std::min({next, end, issue_.next_pause(now_), next_look_up()});
  if (!given_.empty()) next = std::min(next, given_.front().at);
  if (next <= now_ + 1) return now_ + 1;
  next = std::min(wheel_.next_after(now_, next), port_.next_reply());
  return std::max(next, now_ + 1);
}

/// Whether the next instruction, which accesses, is a load.
bool Core::next_loads(const ProgramPosition& at) const {
  if (!machine_) return walk_.site(at).kind == AccessKind::Load;
  return at.op->accesses != 0 && machine_->program().kind(at.op->site) == AccessKind::Load;
}

PlaceMask Core::loading(std::uint32_t scheduler, PlaceMask ready) const {
  PlaceMask loads = 0;
  for (PlaceMask mask = issue_.accessing(scheduler, ready); mask != 0; mask &= mask - 1) {
    const auto place = static_cast<WarpPlace>(std::countr_zero(mask));
    if (next_loads(warps_[issue_.warp_at(scheduler, place)].at)) loads |= PlaceMask{1} << place;
  }
  return loads;
}

void Core::skip(Cycle end, std::uint32_t issued) {
  const Cycle next =
      issued != 0 ? now_ + 1 : next_cycle(end);  // mostly something issues in the next one, too
  issue_.count(now_, issued, counts_.schedulers.data());
  const std::uint32_t warps = groups_.warps();
  if (warps != warps_noted_) note_warps(warps);
  counts_.warp_cycles += warps * (next - now_);
  if (warps != 0)
    counts_.active_cycles += next - now_;
  else if (warp_ended_at_ == now_)
    ++counts_.active_cycles;
  now_ = next;
}

}  // namespace warpscope::timed
