//===- Teller.h - the loop over a work-group's boxes --------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_TELLER_H
#define WARPSCOPE_PASSES_TELLER_H

#include "passes/record/RuntimeCalls.h"

namespace wspasses {

/// Inserts a call of a function of its own that tells the runtime of all boxes of the work-group:
///
///   while (next_box()) end_box(skeleton(box));
///
/// A function, because PoCL has rules for the loops of a kernel with barriers, and copies what is
/// in front of one. It stays one, since nothing in it depends on the work-item or is local memory:
/// the kernel gives it what it needs of these. `Skeleton` (Skeleton.h) becomes a part of it.
void callTeller(llvm::IRBuilder<> &Builder, llvm::Function &Kernel, llvm::Function &Skeleton,
                const RuntimeCalls &Calls);

} // namespace wspasses

#endif
