//===- OwnNames.h - names that are ours alone ----------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_OWNNAMES_H
#define WARPSCOPE_PASSES_OWNNAMES_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// First of all: no kernel hides what it does in a function that HardwarePrefix keeps out of the
/// record. Functions with such a name and a body that none of our headers has get another name, and
/// what would run when the kernel is loaded goes. OpenCL C has none of our headers.
class OwnNamesPass : public llvm::PassInfoMixin<OwnNamesPass> {
public:
  explicit OwnNamesPass(bool Cuda) : Cuda(Cuda) {}
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

private:
  bool Cuda;
};

} // namespace wspasses

#endif
