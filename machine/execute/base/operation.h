#pragma once
// An instruction in the form that is executed: its operands are places in a warp's rows, its modifiers are in the function it calls.
#include <cstdint>

#include "machine/execute/base/lane_values.h"

namespace warpscope::machine {

class Warp;
struct Operation;

/// Executes an operation for the lanes of a set.
using Execute = void (*)(Warp& warp, const Operation& operation, LaneSet lanes);

/// A value that is read: rows of the warp (registers, uniform registers), or rows that are the same for all warps (constants).
struct Source {
  static constexpr std::uint8_t kNone = 0, kNegated = 1, kComplement = 2, kMinus = 4, kAbsolute = 8;
  std::uint16_t low = 0;   ///< number of the row
  std::uint16_t high = 0;  ///< of the upper half of a value of 64 bits
  bool is_constant = false;
  std::uint8_t change = kNone;  ///< of integers: negated or complement; of reals: minus, absolute
  std::uint8_t part = 0;        ///< of packed halves and bytes: Operand::part()
};

struct PredicateSource {
  std::uint8_t place = 0;
  bool negated = false;
};

/// What an operation does to the control flow; Plain: nothing.
enum class Flow : std::uint8_t {
  Plain,
  Branch,
  BranchIndirect,
  Call,
  CallIndirect,
  Return,
  Exit,
  SetBarrier,       ///< BSSY
  Synchronise,      ///< BSYNC
  Break,            ///< BREAK
  WarpSync,         ///< WARPSYNC
  BeginCollective,  ///< WARPSYNC.COLLECTIVE; target: where its lanes go on afterwards; offset: the first body with the same instructions
  EndCollective,    ///< ENDCOLLECTIVE; target, offset: as of the collective before it
  GroupBarrier,     ///< BAR
  ClusterWait,      ///< UCGABAR_WAIT
  WarpGroupWait,    ///< WARPGROUP.DEPBAR
  Yield,            ///< YIELD, NANOSLEEP
  Trap,             ///< BPT.TRAP
  System,           ///< the first instruction of a function of the system; target: its number
  Unknown,          ///< no word of the table, or nothing that can be executed
};

/// No number of an instruction.
constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
/// Operation::bits of a call through a register that is always of a function of the system, as the cubin says.
constexpr std::uint32_t kSystemCall = 1;
/// Operation::bits of a branch that all lanes take if one does (BRA.U.ANY).
constexpr std::uint32_t kAnyLane = 4;

struct Operation {
  Execute run = nullptr;
  Flow flow = Flow::Plain;
  PredicateSource guard;
  PredicateSource inputs[3];  ///< predicates that are read: P87, P77, P68
  std::uint8_t outputs[2]{};  ///< predicates that are written: P81, P84
  std::uint16_t result = 0;   ///< first row that is written
  std::uint8_t results = 1;   ///< rows that are written, consecutive
  bool is_uniform = false;    ///< one result per warp: all lanes take part
  bool drops_result = false;  ///< what is written to RZ
  Source a, b, c, extra;
  std::uint32_t bits = 0;          ///< modifiers that are not in `run`
  std::uint32_t target = 0;        ///< number of an instruction
  std::int64_t offset = 0;         ///< of memory operands, in bytes; immediates
  bool is_guarded = false;         ///< lanes may be active whose guard does not hold
  bool is_guarded_access = false;  ///< of memory, or a barrier of the group: observers hear of its guard
  bool is_partial_copy = false;    ///< LDGSTS: lanes for which inputs[0] does not hold write zeros
  bool accesses_texture =
      false;  ///< tells observers of its accesses itself, also where no lane's guard holds
};

}  // namespace warpscope::machine
