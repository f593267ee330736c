//===- Affine.h - kernels whose addresses are affine in the local id -*- C++ -*-===//
//
// Many kernels compute addresses and branches from their arguments and the work-item's number
// alone, never from what they have loaded. Then a work-group can be recorded before it runs, and
// not work-item by work-item: for a box of work-items at once, in which every address is
//
//   address(x, y, z) = address of the origin + sx*(x-x0) + sy*(y-y0) + sz*(z-z0)
//
// and every branch goes one way. What the box's origin does and the strides sx, sy, sz are computed
// together, by code that Skeleton.cpp derives from the kernel. It also checks that they hold in the
// whole box; where they do not, the runtime asks for smaller boxes, down to single work-items.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_AFFINE_H
#define WARPSCOPE_PASSES_AFFINE_H

#include "passes/describe/Describe.h"
#include "llvm/ADT/DenseSet.h"

namespace wspasses {

/// What the addresses and branches of a kernel depend on.
struct AffineValues {
  llvm::DenseSet<const llvm::Instruction *> Needed;
  /// Those that may differ between the work-items of a group; the others are the same for all.
  llvm::DenseSet<const llvm::Value *> Varying;
  /// They depend on the work-item's place in the grid, but not on where in it work-groups begin.
  bool AreOfGrid = true;
};

/// None if some address or branch depends on memory, or on the work-item's number in a way that
/// boxes cannot follow.
llvm::Optional<AffineValues> findAffineValues(llvm::Function &Kernel, const KernelPlan &Plan);

/// What a call of a work-item function says; `Varies` within a work-group.
enum class WorkItemValue { None, LocalId, GlobalId, Uniform };
WorkItemValue workItemValueOf(const llvm::Instruction &I);

/// `Value / Divisor` or `Value % Divisor`, in whatever way it is written.
struct Division {
  enum { Quotient, Remainder, Multiple } Result; ///< Multiple: Value - Value % Divisor
  llvm::Value *Value;
  llvm::Value *Divisor; ///< null: 1 << Shift
  unsigned Shift = 0;
  bool IsSigned; ///< rounds towards zero, or is only known for Value >= 0
};
llvm::Optional<Division> divisionOf(const llvm::Instruction &I);

/// An `or` of values without common bits is a sum.
bool isSum(const llvm::Instruction &I);

} // namespace wspasses

#endif
