//===- Branches.cpp - branches whose ways wait and meet -------------------===//
#include "passes/threads/Branches.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"

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

bool waysWait(const BasicBlock &Branch, const BasicBlock *Join, const Blocks &Waiting) {
  unsigned WithBarrier = 0;
  bool Share = false;
  Blocks Firsts, Seen;
  for (const BasicBlock *First : successors(&Branch)) {
    if (!Firsts.insert(First))
      continue;
    const Blocks Way = wayFrom(First, Join);
    if (Way.contains(&Branch)) // the branch that ends a loop
      return false;
    WithBarrier += any_of(Way, [&](const BasicBlock *Block) { return Waiting.contains(Block); });
    Share |= any_of(Way, [&](const BasicBlock *Block) { return Seen.contains(Block); });
    Seen.insert(Way.begin(), Way.end());
  }
  return WithBarrier > 1 || (WithBarrier > 0 && Share);
}

} // namespace

bool waysOfBranchWait(Function &Kernel, function_ref<bool(const Instruction &)> waits) {
  Blocks Waiting;
  for (const BasicBlock &Block : Kernel)
    if (any_of(Block, waits))
      Waiting.insert(&Block);
  if (Waiting.empty())
    return false;
  const PostDominatorTree PostDominators(Kernel);
  return any_of(Kernel, [&](const BasicBlock &Block) {
    if (succ_size(&Block) < 2)
      return false;
    const auto *Node = PostDominators.getNode(&Block);
    const auto *Next = Node ? Node->getIDom() : nullptr;
    return waysWait(Block, Next ? Next->getBlock() : nullptr, Waiting);
  });
}

} // namespace wspasses
