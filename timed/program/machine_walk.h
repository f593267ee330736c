#pragma once
// How a warp walks through machine code: along the instructions that it executed, each of which waits for counters.
#include "timed/program/machine_program.h"
#include "timed/program/warp_walk.h"

namespace warpscope::timed {

class MachineWalk {
 public:
  using Next = WarpWalk::Next;
  /// `program` outlives this.
  explicit MachineWalk(const MachineProgram& program) : program_(program) {}

  /// Whether the counters let `op` issue.
  static bool can_issue(const MachineOp& op, const std::uint16_t* counters) {
    for (std::uint32_t left = op.waits; left != 0; left &= left - 1)
      if (counters[std::countr_zero(left)] != 0) return false;
    return op.limited == kNoCounter || counters[op.limited] <= op.limit;
  }
  /// Whether the next thing is an instruction that can issue; sets its unit.
  [[nodiscard]] static bool at_instruction(ProgramPosition& at, const WalkingWarp& warp) {
    if (at.op == at.op_end || !can_issue(*at.op, warp.outstanding)) return false;
    at.unit = at.op->unit;
    return true;
  }
  /// Walks to the next instruction or wait. Called again after Next::Issue or Next::Memory, it does nothing but look at the counters.
  Next advance(ProgramPosition& at, const WalkingWarp& warp) const;
  /// The next access of the instruction that issues: takes its step of the walk. False: the capture has none.
  [[nodiscard]] bool take_site(const WalkingWarp& warp) const;
  /// The barrier at which the warp waits has opened.
  static void pass_barrier(const WalkingWarp& warp) {
    warp.group->trail(warp.number).pop();  // the mark that the replay left when it passed
  }
  [[nodiscard]] const MachineProgram& program() const { return program_; }

 private:
  bool take_step(ProgramPosition& at, const WalkingWarp& warp, Next& next) const;
  void enter(ProgramPosition& at, std::uint32_t block, const WalkTrail& trail) const;

  const MachineProgram& program_;
};

}  // namespace warpscope::timed
