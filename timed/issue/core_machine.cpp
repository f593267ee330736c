// How a core issues machine code: what an instruction does to its warp's counters, units and accesses.
#include <algorithm>

#include "timed/issue/core.h"

namespace warpscope::timed {

void Core::issue_machine(std::uint32_t scheduler, WarpPlace place, Warp& warp) {
  const std::uint32_t number = issue_.warp_at(scheduler, place);
  const MachineOp& op = *warp.at.op;
  stalls_->issued(number, op.number, now_, busy(number, now_), throttle_of(op));
  ++counts_.instructions;
  issue_.issued(scheduler, place, op, now_);
  if (op.accesses != 0 && !warp.at.is_off) {
    ++counts_.memory_instructions;
    make_accesses(number, warp, op);
  } else if (op.kind == MachineOp::Kind::CloseCopies) {
    if (warp.copies != kNoToken) close_copies(warp, op.result);
  } else if (op.accesses == 0 && op.counters != 0) {
    Cycle latency = op.latency;
    if (fetch_ && op.kind == MachineOp::Kind::LoadConstant && op.constant != kNoConstant &&
        fetch_->has_loads())
      latency += fetch_->load_delay(op.constant, now_);
    count_on(number, op.result, latency);
    count_on(number, op.operands, setup_.config.issue.machine.operand_latency);
    set_long(warp, op, false);
  }
  warp.earliest = now_ + op.gap;
  ++warp.at.op;
  if (machine_->at_instruction(warp.at, warp.walking)) {
    prefetch_access(warp);
    return pause_or_become_ready(number, now_ + 1);
  }
  find_jump(number, op.number, warp);
  move(number, now_ + 1);
}

/// What follows a branch that is taken comes later than the stall says; until then the warp is at the branch.
void Core::find_jump(std::uint32_t number, std::uint32_t branch, Warp& warp) {
  warp.at.jumps = false;
  machine_->advance(warp.at, warp.walking);
  if (!warp.at.jumps) return;
  stalls_->stall_until(number, branch, warp.earliest);
  warp.earliest = std::max(warp.earliest, now_ + setup_.config.issue.machine.branch_latency);
  stalls_->waited(number, branch, WarpStall::BranchResolve, warp.earliest);
}

/// Whether a warp that has come to its end still waits for its stores; then its end comes again.
bool Core::drains(std::uint32_t number, Warp& warp, Cycle turn) {
  if (warp.drained <= turn) return false;
  const Token token = flights_.open(number, kNoCounter, now_, false);
  wheel_.add(now_, warp.drained, kDone | token);
  return true;
}

/// Whoever waits for the counters of `op` waits for global memory, or for something nearer.
void Core::set_long(Warp& warp, const MachineOp& op, bool is_long) {
  const std::uint32_t others = warp.long_counters & ~std::uint32_t{op.counters};
  warp.long_counters = static_cast<std::uint8_t>(is_long ? others | op.counters : others);
}

/// A counter rises now and falls `latency` cycles later.
void Core::count_on(std::uint32_t number, std::uint8_t counter, Cycle latency) {
  if (counter == kNoCounter) return;
  const Token token = flights_.open(number, counter, now_, false);
  wheel_.add(now_, now_ + std::max<Cycle>(latency, 1), kDone | token);
}

/// A load's counter falls when its data is there, that of a store's operands when it has left the queue in front of the L1.
void Core::make_accesses(std::uint32_t number, Warp& warp, const MachineOp& op) {
  const bool is_copy = op.accesses == 2;
  Cycle at = now_;  // when its addresses are known
  if (!memory_queues_.empty()) at = std::max(now_, memory_queues_[issue_.scheduler_of(number)].next);
  for (std::uint32_t a = 0; a < op.accesses && machine_->take_site(warp.walking); ++a) {
    warp.walking.group->make_access(warp.walking.number, access_);
    access_.core = CoreId(id_);
    if (setup_.tap != nullptr) setup_.tap->access(access_);
    Token token = kNoToken;
    const std::uint32_t site = access_.site.value();
    const AccessKind kind = machine_->program().kind(site);
    if (is_copy && kind == AccessKind::Load) {
      if (warp.copies == kNoToken) warp.copies = flights_.open(number, kOpenCopies, now_, false);
      token = warp.copies;
      flights_.add_part(token);
    } else if (machine_->program().returns(site) && op.result != kNoCounter) {
      token = flights_.open(number, op.result, now_);
    }
    if (kind != AccessKind::Load && op.is_long) warp.drained = at + setup_.config.issue.machine.store_latency;
    push(number, token, at, a == 0);
  }
  count_on(number, op.operands, at - now_ + setup_.config.issue.machine.operand_latency);
  set_long(warp, op, op.is_long);
  const std::size_t u = issue_.load_store_unit_of(number);
  issue_.set_full(u, !units_[u].has_room(), now_);
}

/// The access goes to the load-store unit in cycle `at`. The first of an instruction takes an entry of its scheduler's memory queue, if there is one.
void Core::push(std::uint32_t number, Token token, Cycle at, bool is_first) {
  const std::size_t u = issue_.load_store_unit_of(number);
  if (memory_queues_.empty()) return units_[u].push(access_, 1, token, number);
  const std::uint32_t scheduler = issue_.scheduler_of(number);
  MemoryQueue& queue = memory_queues_[scheduler];
  if (is_first) {
    queue.next = at + kAddressCycles;
    if (++queue.used == setup_.config.issue.machine.memory_queue_entries)
      issue_.set_queue_full(scheduler, true, now_);
  }
  const std::uint8_t entry = is_first ? static_cast<std::uint8_t>(scheduler) : LoadStoreUnit::kNoEntry;
  if (at == now_) return units_[u].push(access_, 1, token, number, entry);
  units_[u].push_later(scheduler, access_, token, number, entry);
  wheel_.add(now_, at, kEnters | (static_cast<std::uint32_t>(u) * kUnitStep + scheduler));
}

void Core::free_entry(std::uint32_t scheduler) {
  --memory_queues_[scheduler].used;
  issue_.set_queue_full(scheduler, false, now_);
}

/// The copies so far are a group, whose end `counter` tells.
void Core::close_copies(Warp& warp, std::uint8_t counter) {
  flights_.count_as(warp.copies, counter);
  if (counter != kNoCounter) warp.long_counters |= static_cast<std::uint8_t>(1u << counter);
  const Token token = warp.copies;
  warp.copies = kNoToken;
  const Cycle at = flights_.part_arrived(token);
  if (at != kNever) wheel_.add(now_, std::max(at, now_ + 1), kDone | token);
}

/// Whether a warp in state Memory has to go on waiting.
bool Core::waits_on(std::uint32_t number) const {
  const Warp& warp = warps_[number];
  if (!machine_ || warp.at.waits_for == kAllLoads) return flights_.outstanding(number, warp.at.waits_for);
  return !MachineWalk::can_issue(*warp.at.op, warp.walking.outstanding);
}

/// The instruction before which a warp is; at a barrier and at its end the one behind which it is.
std::uint32_t Core::instruction_of(const Warp& warp) {
  if (warp.at.op == nullptr) return 0;
  return (warp.at.op != warp.at.op_end ? warp.at.op : warp.at.op - 1)->number;
}

/// A warp has waited for counters until now.
void Core::count_wait(std::uint32_t number) {
  const Warp& warp = warps_[number];
  const std::uint32_t instruction = instruction_of(warp);
  stalls_->stall_until(number, instruction, std::min(warp.earliest, now_));
  if (warp.at.waits_for == kAllLoads) return stalls_->waited(number, instruction, WarpStall::Drain, now_);
  const MachineOp& op = *warp.at.op;
  const std::uint32_t counters = op.waits | (op.limited == kNoCounter ? 0u : 1u << op.limited);
  const bool is_long = (counters & warp.long_counters) != 0;
  stalls_->waited(number, instruction, is_long ? WarpStall::LongScoreboard : WarpStall::ShortScoreboard,
                  now_);
}

void Core::pass_barrier(std::uint32_t number, Warp& warp) {
  if (!machine_) return walk_.pass_barrier(warp.at, warp.walking);
  const std::uint32_t instruction = instruction_of(warp);
  stalls_->stall_until(number, instruction, std::min(warp.earliest, now_));
  stalls_->waited(number, instruction, WarpStall::Barrier,
                  now_ + setup_.config.issue.machine.barrier_latency);
  warp.earliest = std::max(warp.earliest, now_ + setup_.config.issue.machine.barrier_latency);
  MachineWalk::pass_barrier(warp.walking);
}

}  // namespace warpscope::timed
