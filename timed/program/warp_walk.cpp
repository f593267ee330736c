#include "timed/program/warp_walk.h"

namespace warpscope::timed {
namespace {

/// Whether all lanes of the warp have come to the barrier at which some are.
bool stands_at_barrier(const WalkingWarp& warp) {
  const WalkTrail& trail = warp.group->trail(warp.number);
  return trail.empty() ? warp.group->pending(warp.number) == Pending::Barrier
                       : trail.front().kind() == TrailStep::Kind::Barrier;
}

}  // namespace

WarpWalk::WarpWalk(const Program& program, const IssueConfig& config)
    : program_(program),
      config_(config),
      branch_(instruction_class_named("branch")),
      compare_(instruction_class_named("compare")) {}

void WarpWalk::leave_site(ProgramPosition& at, const WalkingWarp& warp) const {
  const SiteOps& ops = program_.site(at.site);
  at.site = ProgramPosition::kNoSite;
  if (ops.loop_block == ~0u) return enter(at, ops.after);
  const WalkTrail& trail = warp.group->trail(warp.number);
  const bool goes_on = !trail.empty() && trail.front().kind() == TrailStep::Kind::Block &&
                       trail.front().number() == ops.loop_block;
  enter(at, ops.every);
  ++at.bodies;
  if (goes_on && at.bodies < ops.iterations) return;
  at.then = range(ops.after);
  at.then_times = at.bodies;
  at.bodies = 0;
}

void WarpWalk::pass_barrier(ProgramPosition& at, const WalkingWarp& warp) const {
  warp.group->trail(warp.number).pop();  // the mark that the replay left when it passed
  if (at.site != ProgramPosition::kNoSite) leave_site(at, warp);
}

/// True if the warp stops at its site: `next` says for what.
inline bool WarpWalk::reaches_site(ProgramPosition& at, const WalkingWarp& warp, Next& next) const {
  const SiteOps& ops = program_.site(at.site);
  if (has_address(ops.kind)) {
    at.unit = Unit::Memory;
    next = Next::Issue;
    return true;
  }
  if (ops.kind == AccessKind::Barrier && stands_at_barrier(warp)) {
    next = Next::Barrier;
    return true;
  }
  leave_site(at, warp);
  return false;
}

/// Takes the next step of the replay; true if there is none that the warp may take now.
inline bool WarpWalk::take_step(ProgramPosition& at, const WalkingWarp& warp, Next& next) const {
  WalkTrail& trail = warp.group->trail(warp.number);
  if (trail.empty()) {
    next = warp.group->pending(warp.number) == Pending::Barrier ? Next::Barrier : Next::End;
    return true;
  }
  const TrailStep step = trail.front();
  if (step.kind() == TrailStep::Kind::Barrier) {
    next = Next::Barrier;
    return true;
  }
  trail.pop();
  if (step.kind() == TrailStep::Kind::Block) {
    enter(at, program_.body(step.number()));
  } else {
    at.site = step.number();
    enter(at, program_.site(at.site).before);
  }
  return false;
}

WarpWalk::Next WarpWalk::advance(ProgramPosition& at, const WalkingWarp& warp) const {
  Next next = Next::Issue;
  for (;;) {
    if (at_instruction(at)) return Next::Issue;
    if (at.now.op != at.now.end) {
      const Op& op = *at.now.op;
      // The loads of an unrolled body wait in its first iteration.
      if (warp.outstanding[op.index] != 0 && at.bodies == 0) {
        at.waits_for = op.index;
        return Next::Memory;
      }
      ++at.now.op;
    } else if (at.then.op != at.then.end) {
      at.now = at.then;
      at.times = at.then_times;
      at.then = {};
    } else if (at.site != ProgramPosition::kNoSite) {
      if (reaches_site(at, warp, next)) return next;
    } else if (take_step(at, warp, next)) {
      return next;
    }
  }
}

}  // namespace warpscope::timed
