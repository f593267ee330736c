//===- VectorWidths.h - accesses as wide as NVIDIA's compiler makes them -*- C++ -*-===//
//
// A copy of a struct that is aligned to more than its members, such as CUDA's float4, is one access
// for each 16 bytes that the alignment allows, whatever is done with the members. Afterwards ptxas
// narrows loads of which registers are unused. Both rules are from machine code of nvcc 13.0 for
// sm_80 and sm_90
// (tests/kernels/test_vector_widths.py).
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_VECTORWIDTHS_H
#define WARPSCOPE_PASSES_VECTORWIDTHS_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Metadata of a variable whose alignment is larger than the program's (Prepare.h).
inline constexpr const char *RaisedAlignment = "warpscope.raised_alignment";

/// Before optimisation: copies of structs between memory and variables become vector accesses in
/// pieces of the alignment, at most 16 bytes, as long as that makes one access of several members.
/// What stores one component of a vector becomes a store of that component.
struct WholeVectorsPass : llvm::PassInfoMixin<WholeVectorsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// After the load-store vectoriser: neighbouring loads with a gap become one, odd stores of bytes
/// become pairs, and vector loads lose what nothing uses.
struct VectorWidthsPass : llvm::PassInfoMixin<VectorWidthsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

} // namespace wspasses

#endif
