//===- Branches.cpp - branches whose ways wait and meet -------------------===//
#include "passes/threads/Branches.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/threads/Threads.h"
#include "passes/threads/Uniformity.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {
namespace {

using Blocks = SmallSetVector<const BasicBlock *, 16>;

/// The blocks of one way from a branch to where its ways join.
Blocks wayFrom(const BasicBlock *First, const BasicBlock *Join) {
  Blocks Way;
  if (First != Join)
    Way.insert(First);
  for (size_t I = 0; I < Way.size(); ++I)
    for (const BasicBlock *Next : successors(Way[I]))
      if (Next != Join)
        Way.insert(Next);
  return Way;
}

const BasicBlock *joinOf(const BasicBlock &Branch, const PostDominatorTree &PostDominators) {
  const auto *Node = PostDominators.getNode(&Branch);
  const auto *Next = Node ? Node->getIDom() : nullptr;
  return Next ? Next->getBlock() : nullptr;
}

/// What a way has, each found by going through its blocks.
struct WayFacts {
  bool Waits = false;      ///< a barrier
  bool EndsInWays = false; ///< a branch whose ways join where this one ends
};

bool waysWait(const BasicBlock &Branch, const Blocks &Waiting,
              const PostDominatorTree &PostDominators) {
  const BasicBlock *Join = joinOf(Branch, PostDominators);
  unsigned WithBarrier = 0;
  bool Confused = false;
  Blocks Firsts, Seen;
  for (const BasicBlock *First : successors(&Branch)) {
    if (!Firsts.insert(First))
      continue;
    const Blocks Way = wayFrom(First, Join);
    if (Way.contains(&Branch)) // the branch that ends a loop
      return false;
    WayFacts Facts;
    for (const BasicBlock *Block : Way) {
      Facts.Waits |= Waiting.contains(Block);
      Facts.EndsInWays |= succ_size(Block) > 1 && joinOf(*Block, PostDominators) == Join;
      Confused |= Seen.contains(Block);
    }
    Confused |= Facts.Waits && Facts.EndsInWays;
    WithBarrier += Facts.Waits;
    Seen.insert(Way.begin(), Way.end());
  }
  return WithBarrier > 1 || (WithBarrier > 0 && Confused);
}

bool printsVector(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "printf" &&
         any_of(Call->args(), [](const Use &A) { return A->getType()->isVectorTy(); });
}

/// Whether a branch that may differ between work-items decides about a barrier.
bool mayMissBarrier(Function &Kernel) {
  if (none_of(instructions(Kernel), isBarrier))
    return false;
  const Uniformity Known(Kernel);
  return any_of(instructions(Kernel), [&](const Instruction &I) {
    return isBarrier(I) && !Known.reachesAllThreads(I.getParent());
  });
}

} // namespace

bool mayHaveOwnStacks(const Function &Kernel) {
  return none_of(instructions(Kernel), printsVector);
}

bool isBarrier(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Optional<BuiltinName> Name =
      Call && Call->getCalledFunction() ? calledBuiltin(*Call) : None;
  return Name && Name->Base == "barrier";
}

bool waysOfBranchWait(Function &Kernel, function_ref<bool(const Instruction &)> waits) {
  Blocks Waiting;
  for (const BasicBlock &Block : Kernel)
    if (any_of(Block, waits))
      Waiting.insert(&Block);
  if (Waiting.empty())
    return false;
  const PostDominatorTree PostDominators(Kernel);
  return any_of(Kernel, [&](const BasicBlock &Block) {
    return succ_size(&Block) > 1 && waysWait(Block, Waiting, PostDominators);
  });
}

PreservedAnalyses BranchThreadsPass::run(Function &F, FunctionAnalysisManager &) {
  if (F.getCallingConv() == CallingConv::SPIR_KERNEL && mayHaveOwnStacks(F) &&
      (waysOfBranchWait(F, isBarrier) || mayMissBarrier(F)))
    F.addFnAttr(ThreadsAttribute);
  return PreservedAnalyses::all();
}

} // namespace wspasses
