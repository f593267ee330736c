// Control flow: what the paths of a warp do with it is in warp.cpp.
#include "machine/execute/group.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// BMOV: a convergence barrier as a register holds it, and back. operation.offset: its number; bits: it is cleared.
void barrier_to_register(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues masks = warp.take_barrier(static_cast<std::uint8_t>(operation.offset), operation.bits != 0,
                                             !operation.drops_result, lanes);
  write(warp, operation, masks, lanes);
}

void register_to_barrier(Warp& warp, const Operation& operation, LaneSet lanes) {
  warp.put_barrier(static_cast<std::uint8_t>(operation.offset),
                   warp.read(operation.a.is_constant, operation.a.low), lanes);
}

/// B2R.RESULT: of the last BAR.RED of barrier 0: its count, and whether it is not 0.
void barrier_result(Warp& warp, const Operation& operation, LaneSet lanes) {
  const std::uint32_t result = warp.group().barrier(0).result;
  write(warp, operation, same_in_all(result), lanes);
  warp.write_predicate(operation.outputs[0], result != 0 ? kAllLanes : 0, lanes);
}

/// UCGABAR_ARV.
void arrive_at_cluster(Warp& warp, const Operation&, LaneSet lanes) {
  warp.group().cluster().arrive(warp, lanes);
}

bool has_flow(Translation& t, Flow flow) {
  t.operation().flow = flow;
  return true;
}

std::uint32_t target_of(Translation& t) {
  return static_cast<std::uint32_t>(t.instruction().immediate / static_cast<std::int64_t>(kInstructionBytes));
}

/// inputs[0]: the predicate of the branch; bits: 1 .DIV, 2 .CONV, whose mask is operation.b; kAnyLane.
bool is_branch(Translation& t) {
  Operation& operation = t.operation();
  operation.target = target_of(t);
  operation.inputs[0] = t.predicate(0);
  if (t.name() == "BRA" && (t.row().opcode & 0xfffU) == 0x547) {  // BRA.U P, UP
    operation.inputs[1] = t.predicate(1);
    return has_flow(t, Flow::Branch);
  }
  operation.inputs[1] = {kTruePredicate, false};
  const std::uint32_t how = t.name() == "BRA" ? t.bits(32, 2) : 0;
  if (how == 1 && t.code().cubin().architecture() >= 90 && t.has(84)) operation.bits = kAnyLane;
  if (how >= 2) {
    // Without a mask all lanes of the warp are meant.
    operation.b = t.operand(1).kind == OperandKind::UniformRegister ? t.integer(1) : t.constant(kAllLanes);
    operation.bits = how - 1;
  }
  return has_flow(t, Flow::Branch);
}

/// operation.a: a pair, in bytes from operation.offset on.
bool is_indirect(Translation& t, Flow flow, std::size_t slot) {
  Operation& operation = t.operation();
  operation.inputs[0] = t.predicate(0);
  operation.a = t.wide_integer(slot, false);
  operation.offset = t.instruction().immediate;
  // Relative to the next instruction where the word says so.
  for (std::size_t other = 0; other < t.instruction().operand_count; ++other)
    if (t.operand(other).kind == OperandKind::Target && t.row().operands[other].mode == 'r')
      operation.offset += t.instruction().address + std::int64_t{kInstructionBytes};
  return has_flow(t, flow);
}

/// operation.bits: bits 0 and 1 sync, arrive, reduce; 2 the number is in a register (a), 3 the count is (b); 4 and 5 the reduction.
bool is_group_barrier(Translation& t) {
  Operation& operation = t.operation();
  const std::uint32_t how = t.bits(77, 2);
  if (how == 3) return false;
  operation.bits = how | t.bits(74, 2) << 4;
  operation.a = t.small(0);
  operation.b = t.instruction().operand_count > 1 && t.operand(1).kind != OperandKind::Predicate
                    ? t.small(1)
                    : t.constant(0);
  operation.inputs[0] =
      how == 2 ? t.predicate(t.instruction().operand_count - 1U) : PredicateSource{kTruePredicate, false};
  return has_flow(t, Flow::GroupBarrier);
}

bool is_barrier_move(Translation& t) {
  Operation& operation = t.operation();
  if ((t.row().opcode & 0xfffU) == 0x355) {
    t.result(0);
    operation.offset = t.operand(1).value;
    operation.bits = t.bits(84, 1);
    return t.is(barrier_to_register);
  }
  if ((t.row().opcode & 0xfffU) != 0x356) return false;
  operation.offset = t.operand(0).value;
  operation.a = t.integer(1);
  return t.is(register_to_barrier);
}

/// bits: EXCLUSIVE, or COLLECTIVE, which has a target.
bool is_warp_sync(Translation& t) {
  Operation& operation = t.operation();
  operation.bits = t.bits(86, 1) | (t.code().cubin().architecture() >= 90 ? t.bits(85, 1) : 0);
  operation.inputs[0] = t.predicate(0);
  operation.a = t.constant(kAllLanes);
  for (std::size_t slot = 1; slot < t.instruction().operand_count; ++slot)
    if (t.operand(slot).kind == OperandKind::Register || t.operand(slot).kind == OperandKind::Immediate) {
      const bool is_mask =
          t.operand(slot).kind == OperandKind::Register || t.row().operands[slot].width == 32;
      if (is_mask) operation.a = t.small(slot);
    }
  const Operand& last = t.operand(t.instruction().operand_count - 1U);
  if (t.instruction().operand_count == 0 || last.kind != OperandKind::Target)
    return has_flow(t, Flow::WarpSync);
  operation.target = target_of(t);
  return has_flow(t, Flow::BeginCollective);
}

}  // namespace

bool translate_flow(Translation& t) {
  const std::string_view name = t.name();
  Operation& operation = t.operation();
  if (name == "BRA" || name == "JMP") return is_branch(t);
  if (name == "BRX") return is_indirect(t, Flow::BranchIndirect, 1);
  if (name == "RET") return is_indirect(t, Flow::Return, 1);
  if (name == "CALL") {
    if (t.instruction().operand_count < 2 || t.operand(1).kind == OperandKind::Target) {
      operation.target = target_of(t);
      operation.inputs[0] = t.predicate(0);
      return has_flow(t, Flow::Call);
    }
    return is_indirect(t, Flow::CallIndirect, 1);
  }
  if (name == "EXIT" || name == "BSSY" || name == "BSYNC" || name == "BREAK" || name == "YIELD" ||
      name == "NANOSLEEP") {
    operation.inputs[0] = t.predicate(0);
    if (name == "EXIT") return has_flow(t, Flow::Exit);
    if (name == "YIELD" || name == "NANOSLEEP") return has_flow(t, Flow::Yield);
    operation.offset = t.operand(1).value;
    return has_flow(t, name == "BSSY" ? Flow::SetBarrier : name == "BSYNC" ? Flow::Synchronise : Flow::Break);
  }
  if (name == "WARPSYNC") return is_warp_sync(t);
  if (name == "BAR") return is_group_barrier(t);
  if (name == "UCGABAR_ARV") return t.is(arrive_at_cluster);
  if (name == "UCGABAR_WAIT") return has_flow(t, Flow::ClusterWait);
  if (name == "WARPGROUP" && t.bits(80, 1) != 0) return has_flow(t, Flow::WarpGroupWait);
  if (name == "BMOV") return is_barrier_move(t);
  if (name == "BPT") return t.bits(84, 3) == 3 && has_flow(t, Flow::Trap);
  if (name == "B2R" && t.bits(78, 2) == 1) {
    t.result(0);
    t.writes_predicate(0, 1);
    return t.is(barrier_result);
  }
  return false;
}

}  // namespace warpscope::machine
