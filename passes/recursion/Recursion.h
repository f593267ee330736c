//===- Recursion.h - recursive functions become loops -------------*- C++ -*-===//
//
// PoCL's work-groups and the trace's blocks need one control-flow graph with everything inlined.
// Functions that call each other in a circle become one function without such calls: a call stores
// what is needed after it in a frame, moves the stack's top and branches to the function's first
// block; a return goes back to the frame below and branches to where that one was left. The memory
// is the host's (wrapper/device/stack_memory.h); accesses to it are private ones, since a GPU keeps
// frames in local memory, too.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_RECURSION_H
#define WARPSCOPE_PASSES_RECURSION_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace wspasses {

/// i8 *(i32 index, i32 count, i32 item, i32 items), i32 (): WarpscopeStacksV1.
inline constexpr const char *StackFunction = "__warpscope_device_stack";
inline constexpr const char *StackBytesFunction = "__warpscope_device_stack_bytes";
/// void (i32 end, i32 bytes, kernel, place, function), the last three texts: a frame that ends at
/// `end` is pushed. One instruction to everything that describes the kernel; callDeviceTable()
/// makes it a comparison and a call of the next one.
inline constexpr const char *PushFunction = "__warpscope_device_push";
inline constexpr const char *StackOverflowFunction = "__warpscope_device_stack_overflow";

/// Before inlining. Functions whose recursion is no more than a loop (a call as the last step, or
/// one whose result is only added or multiplied) become that. What this cannot do stays a call,
/// and is named later on (Sites.cpp).
class RecursionPass : public llvm::PassInfoMixin<RecursionPass> {
public:
  /// `Plain`: variables leave memory, and nothing else is optimised.
  explicit RecursionPass(bool Plain) : Plain(Plain) {}
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

private:
  bool Plain;
};

/// After it, for optimised CUDA kernels. A large function that is called at several places would be
/// copied to each of them, level by level, so that code grows exponentially. NVIDIA's compiler
/// leaves such a function a call. Here the kernel and its large functions become one function with
/// a stack of frames (LargeCallees.cpp).
class LargeCalleesPass : public llvm::PassInfoMixin<LargeCalleesPass> {
public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
};

/// Whether a call of this function can be replaced by its code.
bool canInline(const llvm::Function &F);
/// What a function needs before it becomes a part of another one: its own copies of arguments, and
/// no debug information of variables.
void prepareMember(llvm::Function &F);

/// Makes one function of those, which call each other (Merge.cpp). False, and nothing has
/// changed, if one of them does what has no place in a frame.
bool mergeRecursive(llvm::ArrayRef<llvm::Function *> Group);

/// When everything is inlined: each of the kernel's stacks gets a number and, at the kernel's
/// beginning, its memory; overflows get the kernel's name.
void giveStacks(llvm::Function &Kernel, llvm::StringRef Name);

/// Whether this is the memory of one of the kernel's stacks.
bool isStack(const llvm::Value &V);
bool hasStack(const llvm::Function &Kernel);

/// Last of all: what a push does.
void lowerPushes(llvm::Module &M);

} // namespace wspasses

#endif
