//===- Skeleton.h - what a box of work-items accesses -------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_SKELETON_H
#define WARPSCOPE_PASSES_SKELETON_H

#include "passes/record/Affine.h"
#include "passes/record/RuntimeCalls.h"

namespace wspasses {

/// Where a private array seems to be, the same in all work-items: no address that a process has.
constexpr uint64_t placeOfPrivateArray(unsigned Object) {
  return (uint64_t{0x7000} << 48) + (uint64_t{Object} << 40);
}

/// A function of the kernel's arguments, then the box's origin and reach (six i64): the kernel
/// without its accesses and barriers, and with what reports these of a box. It returns whether a
/// check failed (i1), that is, whether what it has reported does not hold in the whole box.
llvm::Function *makeSkeleton(llvm::Function &Kernel, const KernelPlan &Plan,
                             const AffineValues &Values, const RuntimeCalls &Calls,
                             bool WithBranches);

} // namespace wspasses

#endif
