// How a core gets the instructions and constants of machine code, if they are not simply there.
#include <algorithm>
#include <utility>

#include "timed/issue/core.h"

namespace warpscope::timed {

/// What it is called that the unit of an instruction is busy.
WarpStall Core::throttle_of(const MachineOp& op) const {
  if (op.unit != Unit::Memory) return WarpStall::MathPipeThrottle;
  return op.is_long ? WarpStall::LgThrottle : WarpStall::MioThrottle;
}

/// A warp that is before an instruction has all of its line, or cannot issue before it does.
void Core::fetch_instructions(std::uint32_t number) {
  Warp& warp = warps_[number];
  if (warp.at.op == warp.at.op_end) return;
  const std::uint32_t line = warp.at.op->number / Fetch::kInstructionsPerLine;
  if (line == warp.line) return;
  warp.line = line;
  const Cycle at = fetch_->instructions_at(issue_.scheduler_of(number), line, now_);
  if (at <= std::max(warp.earliest, now_ + 1)) return;
  stalls_->stall_until(number, warp.at.op->number, warp.earliest);
  stalls_->waited(number, warp.at.op->number, WarpStall::NoInstruction, at);
  warp.earliest = at;
}

/// Whether the constant of an instruction that could issue is not there. Then nothing of its scheduler issues for some cycles, and the warp not before
/// the constant has come.
bool Core::waits_for_constant(std::uint32_t scheduler, WarpPlace place, Warp& warp) {
  const std::uint32_t number = issue_.warp_at(scheduler, place);
  const MachineOp& op = *warp.at.op;
  if (op.kind == MachineOp::Kind::LoadConstant) return false;
  if (std::exchange(warp.constant, kNoConstant) == op.constant) return false;  // it has waited for it
  const Cycle at = fetch_->operand_at(scheduler, op.constant, now_);
  if (at <= now_) return false;
  warp.constant = op.constant;
  stalls_->chosen(number, op.number, now_, busy(number, now_), throttle_of(op));
  stalls_->waited(number, op.number, WarpStall::ImcMiss, at);
  issue_.hold(scheduler, place, warp.at.unit, std::min(at, now_ + Fetch::kConstantHold));
  warp.earliest = at;
  pause_or_become_ready(number, now_ + 1);
  SchedulerCounts& counts = counts_.schedulers[scheduler];
  --counts.issue_cycles;  // modulo 2^64, until count_issue() adds it again
  ++counts.stalls[static_cast<std::size_t>(StallReason::Dependency)];
  return true;
}

}  // namespace warpscope::timed
