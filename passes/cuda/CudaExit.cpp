//===- CudaExit.cpp - the end of a thread in the middle of a kernel ------===//
#include "passes/cuda/CudaToSpir.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace wspasses {

// Everything is inlined into the kernel here, so the thread's end is the kernel's return.
void returnAtExits(Function &Kernel) {
  SmallVector<CallInst *, 4> Exits;
  for (Instruction &I : instructions(Kernel))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == ExitFunction)
      Exits.push_back(Call);
  for (CallInst *Exit : Exits) {
    BasicBlock *Block = Exit->getParent();
    BasicBlock *Rest = Block->splitBasicBlock(Exit);
    Instruction *Branch = Block->getTerminator();
    ReturnInst::Create(Kernel.getContext(), nullptr, Branch)->setDebugLoc(Exit->getDebugLoc());
    Branch->eraseFromParent();
    DeleteDeadBlock(Rest);
  }
}

} // namespace wspasses
