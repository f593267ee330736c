//===- Uniformity.h - what all threads of a block come to ---------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_THREADS_UNIFORMITY_H
#define WARPSCOPE_PASSES_THREADS_UNIFORMITY_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace wspasses {

/// A call that exchanges values between threads: all threads of the block must reach it, unless
/// they have stacks of their own.
bool isExchange(const llvm::Instruction &I);

/// What is known of a kernel's control flow; any change of it needs a new one.
class Uniformity {
public:
  explicit Uniformity(llvm::Function &F);

  /// False if a branch that may differ between threads decides about it, or nothing is known.
  bool reachesAllThreads(const llvm::BasicBlock *Block) const {
    return !Irreducible && !Divergent.contains(Block);
  }

  llvm::DominatorTree Tree;
  llvm::PostDominatorTree PostTree;
  llvm::LoopInfo Loops;
  bool Irreducible = false;

private:
  void markControlled(const llvm::BasicBlock &Branch);

  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Divergent;
};

} // namespace wspasses

#endif
