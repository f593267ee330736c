//===- Prologue.h - predicts a work-group's accesses by box -------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PROLOGUE_H
#define WARPSCOPE_PASSES_PROLOGUE_H

#include "passes/record/RuntimeCalls.h"

namespace wspasses {

/// Inserts a call of a separate function, which predicts for the runtime what all boxes of the
/// work-group access:
///
///   while (next_box()) end_box(skeleton(box));
///
/// It is a function because PoCL changes the loops of a kernel with barriers, and copies the code
/// in front of a barrier. PoCL does not inline it, since it uses no local memory and nothing that
/// depends on the work-item: the kernel passes what it needs of these. `Skeleton` (Skeleton.h) is
/// inlined into it.
void callPrologue(llvm::IRBuilder<> &Builder, llvm::Function &Kernel, llvm::Function &Skeleton,
                  const RuntimeCalls &Calls);

} // namespace wspasses

#endif
