//===- StorePairs.h - two narrow stores as one -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_STOREPAIRS_H
#define WARPSCOPE_PASSES_STOREPAIRS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/BasicBlock.h"

namespace wspasses {

/// Joins the first two of an odd number of bytes or shorts next to each other, as ptxas does; the
/// vectoriser leaves them apart. True if it changed anything.
bool joinStorePairs(llvm::BasicBlock &Block, const llvm::DataLayout &Layout,
                    llvm::AAResults &Aliases);

} // namespace wspasses

#endif
