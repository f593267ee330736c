//===- CudaParameters.cpp ---------------------------------------------------===//
#include "passes/cuda/CudaParameters.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Whether anything but a load may be done with the memory that a pointer points to.
bool mayChange(const Value &Pointer) {
  SmallVector<const Value *, 16> Work{&Pointer};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    for (const User *U : Next->users()) {
      if (isa<LoadInst, ICmpInst>(U))
        continue;
      if (const auto *Copy = dyn_cast<MemTransferInst>(U); Copy && Copy->getRawDest() != Next)
        continue;
      if (const auto *I = dyn_cast<IntrinsicInst>(U); I && I->isLifetimeStartOrEnd())
        continue;
      if (!isa<GEPOperator, BitCastOperator, AddrSpaceCastOperator, PHINode, SelectInst>(U))
        return true;
      Work.push_back(U);
    }
  }
  return false;
}

} // namespace

void copyChangedParameters(Function &Kernel) {
  IRBuilder<> Builder(&*Kernel.getEntryBlock().getFirstInsertionPt());
  for (Argument &A : Kernel.args()) {
    if (!A.hasByValAttr() || !mayChange(A))
      continue;
    Type *Structure = A.getParamByValType();
    AllocaInst *Copy = Builder.CreateAlloca(Structure, nullptr, A.getName() + ".copy");
    Copy->setAlignment(A.getParamAlign().valueOrOne());
    A.replaceAllUsesWith(Copy);
    Builder.CreateMemCpy(Copy, Copy->getAlign(), &A, A.getParamAlign().valueOrOne(),
                         Kernel.getParent()->getDataLayout().getTypeAllocSize(Structure));
  }
}

} // namespace wspasses
