//===- Instrument.h - calls into the runtime ----------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_INSTRUMENT_H
#define WARPSCOPE_PASSES_INSTRUMENT_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Last pass. Writes the module as it is (without debug information) if asked to, describes every
/// kernel, then inserts the calls of passes/RuntimeABI.h. Options: -warpscope-*, see
/// Instrument.cpp.
struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
};

} // namespace wspasses

#endif
