//===- Branches.h - branches whose ways wait and meet ----------*- C++ -*-===//
//
// PoCL 3.1 computes wrong results around some branches with barriers: all work-items do what one of
// them shall do, or the other way round (tests/validation/DEVIATIONS.md, "Barriers"). Found so
// where the ways of a branch both have a barrier, where ways with a barrier have blocks in common,
// and where a way with a barrier ends with the ways of another branch, as in
//
//   if (n > 5) { barrier(..); if (id == 0) f(); }
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_THREADS_BRANCHES_H
#define WARPSCOPE_PASSES_THREADS_BRANCHES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace wspasses {

/// A call of barrier().
bool isBarrier(const llvm::Instruction &I);

/// False if it prints vectors: only PoCL's printf can, not that of threads with stacks of their
/// own.
bool mayHaveOwnStacks(const llvm::Function &Kernel);

/// True if the kernel has such a branch; `waits` says which instructions wait for other threads.
bool waysOfBranchWait(llvm::Function &Kernel,
                      llvm::function_ref<bool(const llvm::Instruction &)> waits);

/// After optimisation: kernels with a barrier in such a branch run on stacks of their own, if they
/// may, and so do those whose work-items may not all come to a barrier: PoCL would write beyond its
/// own memory.
struct BranchThreadsPass : llvm::PassInfoMixin<BranchThreadsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace wspasses

#endif
