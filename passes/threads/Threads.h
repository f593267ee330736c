//===- Threads.h - kernels whose threads run on stacks of their own -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_THREADS_H
#define WARPSCOPE_PASSES_THREADS_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include <string>

namespace wspasses {

/// Function attribute of a kernel whose threads need stacks of their own.
inline constexpr const char *ThreadsAttribute = "warpscope-threads";
/// A thread's function is called after its kernel.
inline constexpr const char *ThreadSuffix = "_threads";

/// Takes the kernels with the attribute out of the module: what remains of them hands a work-group
/// to the table __warpscope_threads_v1. Their threads are written to `Path` as bitcode for the
/// host. False, and nothing is written, if there are none.
bool moveKernelsToThreads(llvm::Module &M, const std::string &Path);

/// Puts the library made of that bitcode (-warpscope-threads-library=FILE) into the module.
struct EmbedThreadsPass : llvm::PassInfoMixin<EmbedThreadsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

} // namespace wspasses

#endif
