//===- Uniformity.cpp -------------------------------------------------------===//
#include "passes/threads/Uniformity.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/DivergenceAnalysis.h"
#include "llvm/Analysis/SyncDependenceAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Values that differ between the threads of a block. Loads of one address are taken to give one
/// value: a kernel that branches around a barrier by them relies on it.
bool isSourceOfDivergence(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile();
  if (isa<AtomicRMWInst, AtomicCmpXchgInst, AllocaInst>(I))
    return true;
  const auto *Call = dyn_cast<CallInst>(&I);
  if (!Call || !Call->getCalledFunction())
    return Call != nullptr;
  if (Optional<BuiltinName> Name = calledBuiltin(*Call))
    return Name->Base == "get_local_id" || Name->Base == "get_global_id" ||
           Name->Base.endswith("_linear_id") || Name->Base.startswith("atom") ||
           Name->Base.startswith("sub_group_");
  // A count over the block is the same for all of it.
  return Call->getCalledFunction()->getName().startswith(HardwarePrefix) &&
         !Call->getCalledFunction()->getName().contains("barrier_");
}

} // namespace

bool isExchange(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee)
    return false;
  StringRef Name = Callee->getName();
  return Name.consume_front(HardwarePrefix) &&
         (Name.startswith("warp_") || Name.startswith("barrier_"));
}

Uniformity::Uniformity(Function &F) : Tree(F), PostTree(F), Loops(Tree) {
  ReversePostOrderTraversal<const Function *> Order(&F);
  Irreducible = containsIrreducibleCFG<const BasicBlock *>(Order, Loops);
  if (Irreducible)
    return;
  SyncDependenceAnalysis Sync(Tree, PostTree, Loops);
  DivergenceAnalysisImpl Analysis(F, nullptr, Tree, Loops, Sync, /*IsLCSSAForm=*/false);
  for (const Instruction &I : instructions(F))
    if (isSourceOfDivergence(I))
      Analysis.markDivergent(I);
  Analysis.compute();
  for (const BasicBlock &Block : F)
    if (Block.getTerminator()->getNumSuccessors() > 1 &&
        Analysis.isDivergent(*Block.getTerminator()))
      markControlled(Block);
}

/// Everything between a divergent branch and where its sides meet again.
void Uniformity::markControlled(const BasicBlock &Branch) {
  const auto *Node = PostTree.getNode(&Branch);
  const BasicBlock *Join = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock *, 16> Work(successors(&Branch));
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (Block == Join || !Seen.insert(Block).second)
      continue;
    Divergent.insert(Block);
    append_range(Work, successors(Block));
  }
}

} // namespace wspasses
