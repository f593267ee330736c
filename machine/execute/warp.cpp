#include "machine/execute/warp.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/execute/base/fault.h"
#include "machine/execute/group.h"
#include "machine/execute/read.h"
#include "machine/execute/system.h"

namespace warpscope::machine {
namespace {

/// Instructions after which another path of the warp is taken: lanes may wait for each other in loops.
constexpr std::uint32_t kTurn = 1U << 12;
/// YIELDs until lanes count as waiting. In a loop of compare-and-swaps one of the 32 lanes gets through in each iteration.
constexpr std::uint32_t kPatience = 64;
/// Equal values of one address that an instruction reads, nothing being stored between, until others have their turn.
constexpr std::uint32_t kPolls = 32;

}  // namespace

Warp::Warp(Group& group, const Code& code, std::uint32_t number, LaneSet lanes)
    : group_(group),
      code_(code),
      constants_(group.launch().constants()),
      number_(number),
      existing_(lanes),
      rows_(code.rows()) {
  predicates_[kTruePredicate] = predicates_[kUniformPredicates + kTruePredicate] = kAllLanes;
  returns_ = same_in_all(kNoPlace);
  path_ = {code.entry(), lanes};
  begun_ = path_.next;
}

Warp::State Warp::run(std::uint64_t& budget) {
  waits_in_loop_ = {};
  if (path_.lanes == 0 && !take_next()) return exited_ == existing_ ? State::Done : State::Blocked;
  Launch& launch = group_.launch();
  while (budget != 0) {
    const Operation& operation = run_plain();
    const LaneSet lanes = path_.lanes & predicate(operation.guard);
    launch.count(begun_, path_.next, path_.lanes);
    if (operation.is_guarded) launch.count_guarded(path_.next, lanes);
    const std::uint32_t executed = path_.next - begun_ + 1;
    budget -= std::min<std::uint64_t>(budget, executed);
    since_switch_ += executed;
    if (flow(operation, lanes))
      begun_ = path_.next;
    else if (!take_next())
      return exited_ == existing_ ? State::Done : State::Blocked;
    if (polled_ >= kPolls) {
      polled_ = 0;
      waits_in_loop_ = begun_;
      return State::Waiting;
    }
  }
  return State::Ready;
}

void Warp::polled(std::uint64_t address, std::uint64_t value) {
  Poll& poll = polls_[path_.next % polls_.size()];
  const Poll now{path_.next, changes_, address, value};
  polled_ = poll == now ? polled_ + 1 : 0;
  poll = now;
  if (polled_ == kPolls) waited_ = now;
  if (now.place == waited_.place && address == waited_.address && value != waited_.value)
    group_.launch().order().add(path_.next, OrderCause::Wait);
}

bool Warp::suspend(const std::uint8_t* barrier, bool phase, LaneSet lanes) {
  const Suspension now{barrier, changes_, path_.next, lanes, phase};
  const Suspension& before = suspension_;
  const bool is_same = before.barrier == barrier && before.phase == phase && before.changes == changes_ &&
                       before.place == path_.next && before.lanes == lanes;
  if (is_same && before.is_over) return true;
  suspension_ = now;
  return false;
}

void Warp::end_phase(const std::uint8_t* barrier, bool phase) {
  if (suspension_.barrier == barrier && suspension_.phase == phase) suspension_.is_over = true;
}

const Operation& Warp::run_plain() {
  Observer* const observer = group_.launch().observer();
  const Operation* operation = code_.operations().data() + path_.next;
  for (; operation->flow == Flow::Plain; ++operation, ++path_.next) {
    LaneSet lanes = path_.lanes;
    if (operation->is_guarded) {
      lanes &= predicate(operation->guard);
      group_.launch().count_guarded(path_.next, lanes);
      if (operation->is_guarded_access && observer != nullptr)
        observer->guarded(*this, *operation, path_.lanes,
                          operation->is_partial_copy ? lanes & predicate(operation->inputs[0]) : lanes);
      if (lanes == 0 && !operation->accesses_texture) continue;
    }
    operation->run(*this, *operation, operation->is_uniform ? kAllLanes : lanes);
  }
  return *operation;
}

bool Warp::flow(const Operation& operation, LaneSet lanes) {
  const LaneSet chosen = lanes & predicate(operation.inputs[0]);
  Observer* observer = group_.launch().observer();
  if (observer != nullptr && operation.is_guarded_access)
    observer->guarded(*this, operation, path_.lanes, lanes);
  if (observer != nullptr && operation.flow != Flow::Unknown) observer->came(*this);
  switch (operation.flow) {
    case Flow::Branch: {
      LaneSet taken = chosen & predicate(operation.inputs[1]);
      if (operation.bits == kAnyLane) {
        if (taken != 0) taken = lanes;
      } else if (operation.bits != 0) {
        // BRA.DIV: all, if lanes of the mask are elsewhere or their guard does not hold; BRA.CONV: if there are none. ptxas has guards which hold for
        // lanes with the mask of the first one, and code for one mask behind a BRA.DIV that is not taken.
        LaneValues scratch;
        const LaneSet mask = read_integer(*this, operation.b, scratch)[0];
        const bool together = (mask & existing_ & ~exited_ & ~taken) == 0;
        if (operation.bits == 2)
          taken = together ? taken : 0;
        else
          taken = together ? 0 : path_.lanes;
      }
      if (observer != nullptr) observer->branch(*this, operation, path_.lanes, taken);
      branch(operation.target, taken);
      // A loop in which lanes of this warp wait for others of it: each path has its turn.
      return taken == 0 || operation.target > path_.next || since_switch_ < kTurn || others_.empty() ||
             (wait(LanePath::Wait::Nothing, 0, 0), false);
    }
    case Flow::Call:
      if (observer != nullptr) observer->branch(*this, operation, path_.lanes, chosen);
      branch(operation.target, chosen);
      return true;
    case Flow::CallIndirect:
      if (call_system(operation, chosen)) {
        if (observer != nullptr && operation.bits != kSystemCall)
          observer->jump(*this, operation, path_.lanes, path_.next + 1);
        ++path_.next;
        return true;
      }
      [[fallthrough]];
    case Flow::BranchIndirect:
    case Flow::Return:
      branch_indirect(operation, chosen);
      return path_.lanes != 0;
    case Flow::Exit:
      if (observer != nullptr) observer->branch(*this, operation, path_.lanes, chosen);
      leave(chosen);
      ++path_.next;
      return path_.lanes != 0;
    case Flow::SetBarrier:
      blend(barriers_[static_cast<std::size_t>(operation.offset)], same_in_all(chosen), chosen);
      ++path_.next;
      return true;
    case Flow::Break:
      for_each_lane(chosen, [&](unsigned i) {
        const auto barrier = static_cast<std::uint8_t>(operation.offset);
        take_out(barrier, barriers_[barrier][i] & ~exited_, LaneSet{1} << i);
        barriers_[barrier][i] = 0;
      });
      ++path_.next;
      release();
      return true;
    case Flow::Synchronise:
      ++path_.next;
      return chosen == 0 || synchronise(operation, chosen);
    case Flow::WarpSync:
      ++path_.next;
      return chosen == 0 || warp_sync(operation);
    case Flow::BeginCollective:
      begin_collective(operation);
      return false;
    case Flow::EndCollective:
      end_collective(operation);
      return true;
    case Flow::GroupBarrier:
      if (observer != nullptr) observer->barrier(*this, operation, lanes);
      ++path_.next;
      return lanes == 0 || group_barrier(operation);
    case Flow::ClusterWait:
      if (observer != nullptr) observer->barrier(*this, operation, lanes);
      ++path_.next;
      if (lanes == 0 || !group_.cluster().has_to_wait(*this, lanes)) return true;
      wait(LanePath::Wait::ClusterBarrier, 0, 0);
      return false;
    case Flow::WarpGroupWait:
      ++path_.next;
      return warp_group_wait();
    case Flow::Yield:
      ++path_.next;
      if (++path_.yields % kPatience == 0) yield_to_others();
      wait(LanePath::Wait::Nothing, 0, 0);
      return false;
    case Flow::Trap:
      throw ExecutionFault("stopped itself (trap)", FaultKind::Trap);
    case Flow::System:
      throw ExecutionFault(
          fmt::format("calls {}, which is not executed", code_.image().system_functions()[operation.target]));
    case Flow::Unknown:
    case Flow::Plain:
      break;
  }
  if (path_.next >= code_.operations().size()) throw ExecutionFault("jumps out of its code");
  throw ExecutionFault("cannot be executed here");
}

void Warp::branch(std::uint32_t target, LaneSet taken) {
  const LaneSet stays = path_.lanes & ~taken;
  if (stays == 0) {
    path_.next = target;
    return;
  }
  ++path_.next;
  if (taken == 0) return;
  // Which side goes first is not documented: those that stay do, as in program order.
  path_.lanes = stays;
  path_.yields = 0;
  others_.push_back({target, taken});
}

void Warp::branch_indirect(const Operation& operation, LaneSet lanes) {
  WideValues targets;
  read_wide_integer(*this, operation.a, targets);
  LaneValues places = same_in_all(0);
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t address = targets[i] + static_cast<std::uint64_t>(operation.offset);
    const std::uint64_t place = code_.image().place_of(address);
    if (place % kInstructionBytes != 0 || place / kInstructionBytes >= code_.operations().size())
      throw ExecutionFault(fmt::format("jumps to 0x{:x}, which is not in its code", address));
    places[i] = static_cast<std::uint32_t>(place / kInstructionBytes);
  });
  jump(operation, lanes, places);
}

void Warp::jump(const Operation& operation, LaneSet lanes, const LaneValues& places) {
  const LaneSet stays = path_.lanes & ~lanes;
  const std::uint32_t here = path_.next;
  if (stays != 0) {
    if (Observer* observer = group_.launch().observer()) observer->jump(*this, operation, stays, here + 1);
    others_.push_back({here + 1, stays});
  }
  LanePath chosen_first;
  // Lanes with the same target stay together; the one of the lowest lane goes first.
  while (lanes != 0) {
    const std::uint32_t target = places[static_cast<unsigned>(std::countr_zero(lanes))];
    const LaneSet together = lanes & gather_set([&](unsigned i) { return places[i] == target; });
    lanes &= ~together;
    if (Observer* observer = group_.launch().observer()) observer->jump(*this, operation, together, target);
    if (chosen_first.lanes == 0)
      chosen_first = {target, together};
    else
      others_.push_back({target, together});
  }
  if (chosen_first.lanes == 0) {
    chosen_first = others_.back();
    others_.pop_back();
  }
  path_ = chosen_first;
}

bool Warp::call_system(const Operation& operation, LaneSet lanes) {
  if (lanes == 0) return true;
  WideValues targets;
  read_wide_integer(*this, operation.a, targets);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const LaneSet same = gather_set([&](unsigned i) { return targets[i] == targets[first]; });
  const std::uint64_t place =
      code_.image().place_of(targets[first] + static_cast<std::uint64_t>(operation.offset)) /
      kInstructionBytes;
  if (place >= code_.operations().size() || code_.operations()[place].flow != Flow::System) return false;
  if ((lanes & ~same) != 0) throw ExecutionFault("calls different functions of the system");
  call_system_function(*this, code_.image().system_functions()[code_.operations()[place].target], lanes);
  return true;
}

bool Warp::group_barrier(const Operation& operation) {
  const LaneValues& numbers = read(operation.a.is_constant, operation.a.low);
  const LaneValues& counts = read(operation.b.is_constant, operation.b.low);
  const auto first = static_cast<unsigned>(std::countr_zero(path_.lanes));
  const auto number = static_cast<std::uint8_t>(numbers[first] & 15);
  Group::Barrier& barrier = group_.barrier(number);
  barrier.is_used = true;
  barrier.needed_warps = counts[first] / kLanes;
  const std::uint32_t how = operation.bits & 3;
  if (how == 1) {  // BAR.ARV
    ++barrier.arrived_warps;
    group_.check_barrier(number);
    return true;
  }
  if (how == 2) {
    barrier.reduction = operation.bits >> 4 & 3;
    barrier.population += static_cast<unsigned>(std::popcount(path_.lanes & predicate(operation.inputs[0])));
    barrier.work_items += static_cast<unsigned>(std::popcount(path_.lanes));
  }
  wait(LanePath::Wait::GroupBarrier, number, 0);
  group_.check_barrier(number);
  return false;
}

bool Warp::warp_group_wait() {
  if (path_.lanes != (existing_ & ~exited_) || (number_ | 3U) >= group_.warps().size()) return true;
  const auto number = static_cast<std::uint8_t>(Group::kNamedBarriers + number_ / 4);
  group_.barrier(number).is_used = true;
  group_.barrier(number).needed_warps = 4;
  wait(LanePath::Wait::GroupBarrier, number, 0);
  group_.check_barrier(number);
  return false;
}

void Warp::leave(LaneSet lanes) {
  if (lanes == 0) return;
  exited_ |= lanes;
  path_.lanes &= ~lanes;
  release();
  group_.check_barriers();
  group_.cluster().leave(*this, lanes);
}

std::span<std::uint8_t> Warp::local_memory(unsigned lane) {
  return group_.local_memory(number_ * kLanes + lane);
}

}  // namespace warpscope::machine
