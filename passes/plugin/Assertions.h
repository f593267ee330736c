//===- Assertions.h - a thread ends whose assertion does not hold -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PLUGIN_ASSERTIONS_H
#define WARPSCOPE_PASSES_PLUGIN_ASSERTIONS_H

#include "passes/record/RuntimeCalls.h"

namespace wspasses {

/// When kernels have been described: a thread returns behind an assertion that does not hold, so
/// that others can say that theirs does not either. Not in kernels where PoCL needs all work-items
/// at a barrier: there the first ends the kernel. `Calls`: the kernels are instrumented.
void returnAtAssertions(llvm::Module &M, const RuntimeCalls *Calls);

} // namespace wspasses

#endif
