//===- ThreadFrame.h - what a kernel and its threads agree on -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_THREADS_THREADFRAME_H
#define WARPSCOPE_PASSES_THREADS_THREADFRAME_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace wspasses {

/// What both halves of a kernel agree on. The frame is packed: the two modules have different data
/// layouts.
struct ThreadLayout {
  llvm::StructType *Frame = nullptr;
  llvm::SmallVector<llvm::Type *, 8> Arguments; ///< values; of a byval argument what it points to
  llvm::SmallVector<llvm::GlobalVariable *, 4> Locals; ///< variables of the original module
  uint64_t StackBytes = 0;
  bool HasGridBarrier = false;
  unsigned localField(size_t Local) const { return 1 + Arguments.size() + Local; }
};

inline llvm::Type *storedTypeOf(const llvm::Argument &A) {
  return A.hasByValAttr() ? A.getParamByValType() : A.getType();
}

/// Replaces the body of a kernel: its first work-item fills a frame and has the work-group's
/// threads run (ThreadStub.cpp).
void handToThreads(llvm::Function &Kernel, const ThreadLayout &Fields);

} // namespace wspasses

#endif
