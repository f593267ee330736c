//===- Frames.h - what a recursive function keeps across a call -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_RECURSION_FRAMES_H
#define WARPSCOPE_PASSES_RECURSION_FRAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace wspasses {

/// A call of a function of the same group: the last instruction of `Before` but for the branch to
/// `After`.
struct RecursiveCall {
  llvm::CallInst *Call = nullptr;
  llvm::BasicBlock *Before = nullptr, *After = nullptr;
};

/// A function that becomes a part of another one.
struct Member {
  llvm::Function *F = nullptr;
  llvm::BasicBlock *Entry = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 8> Arguments; ///< what they are passed in
  llvm::SmallVector<RecursiveCall, 8> Calls;
  uint64_t FrameBytes = 0;
  llvm::Align FrameAlign{4};
};

/// The stack as the function sees it.
struct Stack {
  llvm::Value *Base = nullptr;
  llvm::AllocaInst *Top = nullptr; ///< offset of the running function's frame
  bool HasPlaces = false;          ///< a frame begins with the number of the place to go back to

  /// The address of `Offset` in the frame that begins at `Frame`.
  llvm::Value *address(llvm::IRBuilder<> &Builder, llvm::Value *Frame, uint64_t Offset,
                       llvm::Type *T) const;
  llvm::Value *running(llvm::IRBuilder<> &Builder) const;
};

/// Gives a member its frame: values that are needed after a call are stored before it and loaded
/// after it; variables that are in memory get their place. Those that no call can see go to `Own`,
/// a block of the function to be.
void makeFrame(Member &M, const Stack &Frames, llvm::BasicBlock &Own);

} // namespace wspasses

#endif
