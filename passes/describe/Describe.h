//===- Describe.h - a kernel's description for the capture --------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_DESCRIBE_H
#define WARPSCOPE_PASSES_DESCRIBE_H

#include <array>
#include <vector>

#include "passes/describe/Dependence.h"
#include "passes/describe/Objects.h"
#include "passes/describe/Sites.h"
#include "traces/program/kernel_info.h"
#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Everything the instrumentation needs to know about a kernel, found before it changes anything.
struct KernelPlan {
  warpscope::KernelInfo Info;
  std::vector<Site> Sites; ///< index = site id
  std::vector<llvm::BasicBlock *> Blocks;
  std::vector<llvm::Value *> Objects;
  std::array<unsigned, NumSkipReasons> Skipped{}; ///< instructions per reason
};

/// Numbers blocks in a reverse post-order in which a loop's blocks come together, before its exits,
/// and the taken side of a branch comes first: divergent paths are replayed lowest block first.
Numbering numberBlocks(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

KernelPlan describeKernel(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                          const SiteOptions &Options);

} // namespace wspasses

#endif
