//===- Clamps.h - what machine code does inside of an instruction -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CLAMPS_H
#define WARPSCOPE_PASSES_CLAMPS_H

#include "llvm/IR/Instruction.h"

namespace wspasses {

/// Whether the instruction only says what a shift by too many bits, or the conversion of a NaN,
/// results in (passes/cuda/CudaArithmetic.cpp): machine code has no instruction for it.
bool isClamp(const llvm::Instruction &I);

} // namespace wspasses

#endif
