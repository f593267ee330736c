//===- BoundBarriers.h - how many copies of a barrier unrolling may make -*- C++ -*-===//
//
// PoCL splits a kernel at its barriers. A barrier that every work-item reaches costs it about the
// same each time; behind one that a branch or a loop of unknown length guards it copies the rest of
// the kernel, so that k of them in a row make 2^k copies. Loops that hold barriers are therefore
// unrolled only up to a bound, which is the same on every machine. The measurements are in
// validation/notes/compilation.md.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_BOUNDBARRIERS_H
#define WARPSCOPE_PASSES_BOUNDBARRIERS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Passes/PassBuilder.h"

namespace wspasses {

/// Barriers of a kernel, in all copies that unrolling makes of them.
inline constexpr unsigned BarrierBound = 64;
/// Branches that decide about barriers, in all copies.
inline constexpr unsigned GuardBound = 6;

/// Visits a loop just before it would be unrolled; its inner loops have been. Forbids to unroll it
/// if the kernel would then exceed a bound.
struct BoundBarriersPass : llvm::PassInfoMixin<BoundBarriersPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &AR, llvm::LPMUpdater &);
};

/// Puts the pass before every step of default<O3> that unrolls.
void boundBarriers(llvm::PassBuilder &Builder);

/// Iterations of a loop that the bound left rolled, 0 for all others.
unsigned iterationsLeftRolled(const llvm::Loop &L);

} // namespace wspasses

#endif
