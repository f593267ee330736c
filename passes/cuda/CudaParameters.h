//===- CudaParameters.h - structures that a kernel gets by value -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CUDAPARAMETERS_H
#define WARPSCOPE_PASSES_CUDAPARAMETERS_H

#include "llvm/IR/Function.h"

namespace wspasses {

/// Gives each thread a copy of its own of those byval arguments that the kernel may change: PoCL
/// has one for all work-items of a work-group.
void copyChangedParameters(llvm::Function &Kernel);

} // namespace wspasses

#endif
