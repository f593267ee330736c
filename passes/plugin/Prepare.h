//===- Prepare.h - small passes around the optimiser --------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PREPARE_H
#define WARPSCOPE_PASSES_PREPARE_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Makes every call inlinable: OpenCL has neither recursion nor function pointers, GPU compilers
/// inline all, and the accesses of a function that stayed a call would have no place in the
/// kernel's control-flow graph.
struct ForceInlinePass : llvm::PassInfoMixin<ForceInlinePass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Aligns local and private objects of 16 bytes or more to 16 bytes, as ptxas lays them out. Runs
/// before the optimiser: the load-store vectoriser reads the alignment that instcombine writes on
/// loads. Also tells the optimiser which integers the machine has; ToSpirPass takes that back.
struct GpuAlignPass : llvm::PassInfoMixin<GpuAlignPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Makes the module spir64 again after it was optimised with another target's cost model. Atomic
/// instructions that OpenCL 1.x can express become its built-in calls, which every consumer of SPIR
/// takes (Oclgrind has no atomicrmw).
struct ToSpirPass : llvm::PassInfoMixin<ToSpirPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

} // namespace wspasses

#endif
