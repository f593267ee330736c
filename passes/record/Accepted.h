//===- Accepted.h - what a kernel recorded in boxes may do --------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_ACCEPTED_H
#define WARPSCOPE_PASSES_ACCEPTED_H

#include "llvm/IR/Function.h"

namespace wspasses {

/// Whether every instruction of the kernel is on the list of what boxes take: accesses, arithmetic,
/// branches, and calls that do nothing but compute; barriers, if all work-items reach them. What
/// prints, traps, allocates, jumps elsewhere or is not known keeps the kernel out.
bool acceptsForBoxes(llvm::Function &Kernel);

/// An intrinsic that gives the same result wherever and whenever it is computed.
bool isPureIntrinsic(const llvm::Instruction &I);

} // namespace wspasses

#endif
