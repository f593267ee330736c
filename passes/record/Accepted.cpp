//===- Accepted.cpp ---------------------------------------------------------===//
#include "passes/record/Accepted.h"

#include "passes/describe/Sites.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/record/Affine.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Uniformity.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Instructions that are no calls. Those that nobody has thought of are not on the list.
bool isAcceptedInstruction(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Alloca:
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
  case Instruction::Fence:
  case Instruction::GetElementPtr:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::FNeg:
  case Instruction::PHI:
  case Instruction::Select:
  case Instruction::Freeze:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::Br:
  case Instruction::Switch:
  case Instruction::Ret:
    return true;
  default:
    return isa<BinaryOperator>(I) || isa<CastInst>(I);
  }
}

/// A built-in or hardware function that is an access, waits, or only computes.
bool isAcceptedCall(CallInst &Call) {
  if (isPureIntrinsic(Call))
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || isa<IntrinsicInst>(Call))
    return false;
  if (isExchange(Call) || workItemValueOf(Call) != WorkItemValue::None)
    return true;
  const SkipReason Reason = isInterestingInstruction(Call, SiteOptions()).Reason;
  if (Reason == SkipReason::None)
    return true;
  // All of OpenCL's built-ins are declared convergent.
  const bool IsKnown = calledBuiltin(Call) || Callee->getName().startswith(HardwarePrefix);
  return IsKnown && Reason == SkipReason::NoAccess && Call.doesNotAccessMemory() &&
         Call.doesNotThrow() && !Call.doesNotReturn();
}

} // namespace

bool isPureIntrinsic(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::abs:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::canonicalize:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::cos:
  case Intrinsic::ctlz:
  case Intrinsic::ctpop:
  case Intrinsic::cttz:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::is_fpclass:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::maximum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::ptrmask:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::sadd_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::sin:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::sqrt:
  case Intrinsic::sshl_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::trunc:
  case Intrinsic::uadd_sat:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::ushl_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::usub_with_overflow:
    return Call->doesNotAccessMemory();
  default:
    return Call->getIntrinsicID() >= Intrinsic::vector_reduce_add &&
           Call->getIntrinsicID() <= Intrinsic::vector_reduce_xor && Call->doesNotAccessMemory();
  }
}

bool acceptsForBoxes(Function &Kernel) {
  SmallVector<const BasicBlock *, 8> Waiting;
  for (Instruction &I : instructions(Kernel)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call ? !isAcceptedCall(*Call) : !isAcceptedInstruction(I))
      return false;
    if (isBarrier(I) || isExchange(I))
      Waiting.push_back(I.getParent());
  }
  if (Waiting.empty())
    return true;
  const Uniformity Known(Kernel);
  return all_of(Waiting, [&](const BasicBlock *Block) { return Known.reachesAllThreads(Block); });
}

} // namespace wspasses
