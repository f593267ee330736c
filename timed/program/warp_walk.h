#pragma once
// How a warp walks through its program: from one instruction to the next, or to what it must wait for. The replay says
// which blocks and sites the warp comes to, the program what it issues there.
#include <cstdint>

#include "scheduler/replay/warp_replay.h"
#include "timed/program/machine_program.h"
#include "timed/program/program.h"

namespace warpscope::timed {

/// Where a warp is in its program, and what its next instruction needs.
struct ProgramPosition {
  static constexpr std::uint32_t kNoSite = ~0u;
  struct Range {
    const Op* op = nullptr;
    const Op* end = nullptr;
  };
  // Of machine code, in place of all of the below but `unit` and `waits_for`:
  const MachineOp* op = nullptr;
  const MachineOp* op_end = nullptr;
  bool is_off = false;            ///< no lane's guard holds: the instruction issues and accesses nothing
  bool jumps = false;             ///< the instruction is not behind the one that issued last
  Unit unit = Unit::None;         ///< set after Next::Issue: the unit that the instruction needs
  LoadIndex waits_for = kNoLoad;  ///< set after Next::Memory
  Range now, then;                ///< the range that it executes, and the next one
  std::uint32_t left = 0;         ///< instructions of the current op
  std::uint32_t times = 1, then_times = 1;  ///< iterations of an unrolled loop that `now`, `then` stand for
  std::uint32_t site = kNoSite;             ///< the site that follows `now` and `then`
  std::uint32_t bodies = 0;                 ///< iterations of an unrolled loop so far
};

/// A warp whose work-group is being replayed.
struct WalkingWarp {
  GroupReplay* group = nullptr;
  WarpId number;  ///< number of the warp in its work-group
  /// How often each load of the program is outstanding for it, by LoadIndex.
  const std::uint16_t* outstanding = nullptr;
};

class WarpWalk {
 public:
  enum class Next : std::uint8_t {
    Issue,    ///< an instruction; an access if its unit is Unit::Memory
    Memory,   ///< the data of load `waits_for`
    Barrier,  ///< the other warps of the work-group
    End,
  };
  /// Both outlive this.
  WarpWalk(const Program& program, const IssueConfig& config);

  /// Whether the next thing is an instruction that is no access: then the position says which unit it needs, and
  /// advance() would say no more.
  [[nodiscard]] bool at_instruction(ProgramPosition& at) const {
    if (at.now.op == at.now.end || at.now.op->kind != Op::Kind::Compute) return false;
    if (at.left == 0) at.left = instructions(at, *at.now.op);
    at.unit = config_.costs[at.now.op->index].unit;
    return true;
  }
  /// Walks to the next instruction or wait. Called again after Next::Issue, it does nothing.
  Next advance(ProgramPosition& at, const WalkingWarp& warp) const;
  /// One instruction of the current op has issued.
  static void pass_instruction(ProgramPosition& at) {
    if (--at.left == 0) ++at.now.op;
  }
  /// The access or synchronisation at the position's site is done.
  void leave_site(ProgramPosition& at, const WalkingWarp& warp) const;
  /// The barrier at which the warp waits has opened.
  void pass_barrier(ProgramPosition& at, const WalkingWarp& warp) const;
  [[nodiscard]] const SiteOps& site(const ProgramPosition& at) const { return program_.site(at.site); }

 private:
  void enter(ProgramPosition& at, Segment segment) const {
    at.now = range(segment);
    at.times = 1;
  }
  /// How often an op of an unrolled loop issues: once per iteration, but branch and comparison only once.
  [[nodiscard]] std::uint32_t instructions(const ProgramPosition& at, const Op& op) const {
    return at.times == 1 || op.index == branch_ || op.index == compare_ ? op.count : op.count * at.times;
  }
  [[nodiscard]] bool reaches_site(ProgramPosition& at, const WalkingWarp& warp, Next& next) const;
  [[nodiscard]] bool take_step(ProgramPosition& at, const WalkingWarp& warp, Next& next) const;
  [[nodiscard]] ProgramPosition::Range range(Segment segment) const {
    return {program_.op(segment.first), program_.op(segment.end)};
  }

  const Program& program_;
  const IssueConfig& config_;
  std::size_t branch_, compare_;  ///< classes of loop overhead
};

}  // namespace warpscope::timed
