//===- Assertions.cpp - a thread ends whose assertion does not hold -----------===//
#include "passes/plugin/Assertions.h"

#include "passes/RuntimeABI.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Threads.h"
#include "passes/threads/Uniformity.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace wspasses {

namespace {

/// In the order of AssertionFunction's arguments; comes back.
constexpr const char *FailedAssertion = "__warpscope_device_failed_assertion";

/// PoCL needs all work-items at a barrier, but those that have stacks of their own may end.
bool mayEndEarly(Function &Kernel) {
  return Kernel.hasFnAttribute(ThreadsAttribute) ||
         none_of(instructions(Kernel),
                 [](const Instruction &I) { return isBarrier(I) || isExchange(I); });
}

void returnBehind(CallInst &Call, FunctionCallee Failed, const RuntimeCalls *Calls) {
  BasicBlock *const Block = Call.getParent();
  BasicBlock *const Rest = Block->splitBasicBlock(Call.getNextNode());
  Call.setCalledFunction(Failed);
  IRBuilder<> Builder(Block->getTerminator());
  if (Calls)
    Calls->call(Builder, EndSlot, {Builder.getInt32(WARPSCOPE_ALL_ITEMS)});
  Builder.CreateRetVoid();
  Block->getTerminator()->eraseFromParent();
  if (pred_empty(Rest))
    EliminateUnreachableBlocks(*Block->getParent());
}

} // namespace

void returnAtAssertions(Module &M, const RuntimeCalls *Calls) {
  Function *const Assertion = M.getFunction(AssertionFunction);
  if (!Assertion)
    return;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (User *U : Assertion->users()) {
      auto *const Call = cast<CallInst>(U);
      Function &Kernel = *Call->getFunction();
      if (Kernel.getCallingConv() != CallingConv::SPIR_KERNEL || !mayEndEarly(Kernel))
        continue;
      FunctionCallee Failed = M.getOrInsertFunction(FailedAssertion, Assertion->getFunctionType());
      cast<Function>(Failed.getCallee())->setCallingConv(Assertion->getCallingConv());
      returnBehind(*Call, Failed, Calls);
      Changed = true;
      break; // other calls may be gone
    }
  }
}

} // namespace wspasses
