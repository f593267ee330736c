//===- InstructionMix.h - instruction classes for performance models -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_INSTRUCTIONMIX_H
#define WARPSCOPE_PASSES_INSTRUCTIONMIX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"

namespace wspasses {

/// How often an instruction counts, and as what (the classes are in traces/FORMAT.md).
struct MixEntry {
  llvm::StringRef Class;
  uint32_t Count = 1; ///< operations on vectors count once per element, accesses once per 16-byte
                      ///< (or aligned) piece
  uint32_t More = 0;  ///< int_alu that the instruction takes besides
};

/// `AccessPieces`: instructions a GPU needs for the access, 1 for anything else.
MixEntry classifyInstruction(const llvm::Instruction &I, uint32_t AccessPieces);

} // namespace wspasses

#endif
