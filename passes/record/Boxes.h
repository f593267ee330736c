//===- Boxes.h - kernels that are recorded box by box -------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_BOXES_H
#define WARPSCOPE_PASSES_BOXES_H

#include "passes/record/Affine.h"
#include "passes/record/RuntimeCalls.h"

namespace wspasses {

/// Makes the first work-item of a group record all of them before any runs, box by box (Affine.h).
/// What the kernel did before stays as it is, without calls, and as fast as PoCL makes it:
///
///   if (first work-item) {
///     begin_boxes(group); object(…);
///     prologue(…); // Prologue.h
///   }
///   barrier; kernel; barrier;
///   if (first work-item) end_boxes();
///
/// With `Alone` nothing else is left of the kernel: it computes nothing (else AddressesOnly.h).
/// False, and nothing is changed, if the kernel is not one of Affine.h, does what is not on the
/// list of Accepted.h, never returns, or if what is put in front would be large.
bool instrumentBoxes(llvm::Function &Kernel, const KernelPlan &Plan, const RuntimeCalls &Calls,
                     bool WithObjects, bool WithBranches, bool Alone);

} // namespace wspasses

#endif
