//===- Dependence.h - when a load could issue, and who waits for it -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_DEPENDENCE_H
#define WARPSCOPE_PASSES_DEPENDENCE_H

#include <vector>

#include "traces/program/kernel_info.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace wspasses {

/// Blocks in the capture's order, and the place of every instruction in it.
struct Numbering {
  std::vector<llvm::BasicBlock *> Blocks;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> BlockOf;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> PositionOf;

  warpscope::ProgramPoint pointOf(const llvm::Instruction &I) const;
  /// The end of a block.
  warpscope::ProgramPoint endOf(const llvm::BasicBlock &Block) const;
};

/// Instructions that cost no machine instruction and wait for nothing: their users are the real
/// consumers.
bool isTransparent(const llvm::Instruction &I);

/// Finds, without moving anything, the earliest point at which a load may issue: its operands are
/// ready and no barrier or store that may write its address is in between. Named address spaces
/// never alias each other.
class LoadMotion {
public:
  LoadMotion(llvm::Function &F, llvm::FunctionAnalysisManager &AM, const Numbering &Numbers);
  /// None = kernel entry. Volatile and ordered loads stay where they are.
  llvm::Optional<warpscope::ProgramPoint> earliest(llvm::LoadInst &Load) const;
  /// The last instruction of the load's block that may write what it reads; null if there is none.
  const llvm::Instruction *writerInBlock(llvm::LoadInst &Load) const;
  /// First uses of a value: uses that another use dominates are left out. A phi uses it at the end
  /// of the incoming block.
  std::vector<warpscope::ProgramPoint> consumers(const llvm::Instruction &Value) const;

private:
  const llvm::Instruction *lastOperand(const llvm::Value *V) const;
  const llvm::MemoryAccess *clobber(llvm::LoadInst &Load) const;
  const llvm::Instruction *later(const llvm::Instruction *A, const llvm::Instruction *B) const;
  warpscope::ProgramPoint after(const llvm::Instruction &I) const;

  const Numbering &Numbers;
  llvm::DominatorTree &Dominators;
  llvm::MemorySSA &Memory;
};

} // namespace wspasses

#endif
