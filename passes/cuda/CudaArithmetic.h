//===- CudaArithmetic.h - results that C++ leaves open -----------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CUDAARITHMETIC_H
#define WARPSCOPE_PASSES_CUDAARITHMETIC_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Before anything is optimised: shifts clamp, conversions saturate.
struct CudaArithmeticPass : llvm::PassInfoMixin<CudaArithmeticPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// When the kernels have been described: integer divisions do not stop the program.
void defineDivisions(llvm::Module &M);

} // namespace wspasses

#endif
