#include "timed/program/machine_walk.h"

namespace warpscope::timed {

/// A gate whose access no lane makes: its instruction issues all the same. A block without instructions, to which a guarded EXIT leads, leaves the warp
/// behind the last one.
inline void MachineWalk::enter(ProgramPosition& at, std::uint32_t number, const WalkTrail& trail) const {
  const MachineBlock* block = &program_.block(number);
  at.is_off = false;
  if (block->guarded) {
    const bool opens = !trail.empty() && trail.front().kind() == TrailStep::Kind::Block &&
                       trail.front().number() == *block->guarded;
    if (opens) return;
    block = &program_.block(*block->guarded);
    at.is_off = true;
  }
  at.jumps |= at.op_end != nullptr && at.op_end != program_.op(block->first);
  if (block->first == block->end) return;
  at.op = program_.op(block->first);
  at.op_end = program_.op(block->end);
}

/// True if there is no step that the warp may take now.
inline bool MachineWalk::take_step(ProgramPosition& at, const WalkingWarp& warp, Next& next) const {
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
  if (step.kind() == TrailStep::Kind::Site && has_address(program_.kind(step.number()))) {
    at.op = program_.lone_access(step.number());
    at.op_end = at.op + 1;
    at.is_off = false;
    return false;
  }
  trail.pop();
  if (step.kind() == TrailStep::Kind::Block) enter(at, step.number(), trail);
  return false;
}

MachineWalk::Next MachineWalk::advance(ProgramPosition& at, const WalkingWarp& warp) const {
  Next next = Next::Issue;
  for (;;) {
    if (at.op != at.op_end) {
      if (!can_issue(*at.op, warp.outstanding)) return Next::Memory;
      at.unit = at.op->unit;
      return Next::Issue;
    }
    if (take_step(at, warp, next)) return next;
  }
}

bool MachineWalk::take_site(const WalkingWarp& warp) const {
  WalkTrail& trail = warp.group->trail(warp.number);
  while (!trail.empty() && trail.front().kind() == TrailStep::Kind::Site) {
    const bool accesses = has_address(program_.kind(trail.front().number()));
    trail.pop();
    if (accesses) return true;
  }
  return false;
}

}  // namespace warpscope::timed
