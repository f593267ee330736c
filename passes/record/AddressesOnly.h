//===- AddressesOnly.h - a kernel reduced to its addresses -------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_ADDRESSESONLY_H
#define WARPSCOPE_PASSES_ADDRESSESONLY_H

#include "passes/describe/Describe.h"
#include "llvm/ADT/SetVector.h"

namespace wspasses {

/// Everything that a kernel does to memory or computes from what it has read there.
using MemoryWork = llvm::SmallSetVector<llvm::Instruction *, 32>;

/// None if an address of a site or a branch depends on memory or on other work-items, or if the
/// kernel does what is not on the list of Accepted.h. Boxes (Affine.h) take fewer kernels: their
/// addresses also have to be affine.
llvm::Optional<MemoryWork> findMemoryWork(llvm::Function &Kernel, const KernelPlan &Plan);

/// What is left accesses the same addresses and takes the same branches, if it is passed to the
/// recorder, but reads and writes nothing. Barriers stay.
void erase(const MemoryWork &Work);

} // namespace wspasses

#endif
