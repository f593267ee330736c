//===- ExpandMemory.h - memcpy, memset and memmove as accesses ----*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_EXPANDMEMORY_H
#define WARPSCOPE_PASSES_EXPANDMEMORY_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Replaces memory intrinsics by loads and stores. Constant sizes up to 128 bytes become
/// straight-line code in pieces of the alignment, at most 8 bytes (the load-store vectoriser merges
/// them), as NVPTX does; others become loops.
struct ExpandMemoryPass : llvm::PassInfoMixin<ExpandMemoryPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace wspasses

#endif
