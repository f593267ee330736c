//===- Registers.h - estimate of a kernel's registers -------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_REGISTERS_H
#define WARPSCOPE_PASSES_REGISTERS_H

#include "llvm/IR/Function.h"

namespace wspasses {

/// Largest number of 32-bit values that are live at one point of the kernel, in this instruction
/// order. Constants and arguments cost nothing (constant bank), nor do booleans (predicate
/// registers); global and generic addresses cost two. A register allocator reorders and
/// rematerialises, so this is an estimate, not a bound.
uint32_t estimateRegisters(const llvm::Function &F);

} // namespace wspasses

#endif
