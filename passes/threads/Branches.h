//===- Branches.h - branches whose ways wait and meet ----------*- C++ -*-===//
//
// PoCL 3.1 computes wrong results where ways of a branch that hold barriers have blocks in common,
// or where both hold one: `if (n > 5) { barrier(..); if (id == 0) f(); } else { barrier(..); g();
// }` may call f for all work-items (tests/validation/DEVIATIONS.md, "Barriers").
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_THREADS_BRANCHES_H
#define WARPSCOPE_PASSES_THREADS_BRANCHES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace wspasses {

/// True if the kernel has such a branch; `waits` tells which instructions wait for other threads.
bool waysOfBranchWait(llvm::Function &Kernel,
                      llvm::function_ref<bool(const llvm::Instruction &)> waits);

} // namespace wspasses

#endif
