//===- AddressesOnly.cpp ----------------------------------------------------===//
#include "passes/record/AddressesOnly.h"

#include "passes/record/Accepted.h"
#include "passes/record/Affine.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Threads.h"
#include "passes/threads/Uniformity.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace wspasses {

namespace {

bool touchesMemory(const Instruction &I) {
  return !I.isTerminator() && !isBarrier(I) && !isPureIntrinsic(I) &&
         workItemValueOf(I) == WorkItemValue::None && (I.mayReadOrWriteMemory() || isExchange(I));
}

/// Adds what is computed from `Work`, and from that.
void followUses(MemoryWork &Work) {
  for (size_t Next = 0; Next < Work.size(); ++Next)
    for (User *Use : Work[Next]->users())
      Work.insert(cast<Instruction>(Use));
}

} // namespace

Optional<MemoryWork> findMemoryWork(Function &Kernel, const KernelPlan &Plan) {
  if (Kernel.hasFnAttribute(ThreadsAttribute) || !acceptsForBoxes(Kernel))
    return None;
  MemoryWork Work;
  for (Instruction &I : instructions(Kernel))
    if (touchesMemory(I))
      Work.insert(&I);
  followUses(Work);
  const auto IsInWork = [&](Value *Value) {
    auto *I = dyn_cast_or_null<Instruction>(Value);
    return I && Work.contains(I);
  };
  if (any_of(Work, [](const Instruction *I) { return I->isTerminator() || isBarrier(*I); }) ||
      any_of(Plan.Sites, [&](const Site &Found) { return IsInWork(Found.Address); }))
    return None;
  return Work;
}

void erase(const MemoryWork &Work) {
  for (Instruction *I : Work)
    if (!I->getType()->isVoidTy())
      I->replaceAllUsesWith(UndefValue::get(I->getType()));
  for (Instruction *I : Work)
    I->eraseFromParent();
}

} // namespace wspasses
