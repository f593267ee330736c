//===- LowerBuiltins.h - make the accesses of built-ins visible ---*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_LOWERBUILTINS_H
#define WARPSCOPE_PASSES_LOWERBUILTINS_H

#include "passes/lower/BuiltinNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Gives built-ins that touch memory a body, or replaces them by instructions: what stays a call
/// can be neither optimised nor recorded, and PoCL takes some of them only from source. Runs before
/// always-inline.
struct LowerBuiltinsPass : llvm::PassInfoMixin<LowerBuiltinsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Metadata on a fence instruction: the memory it orders, "local", "global" or "local|global".
inline constexpr const char *FenceMetadata = "warpscope.fence";

/// Metadata on an atomic, or an atomic load or store, that is one for its own work-group alone.
inline constexpr const char *GroupScopeMetadata = "warpscope.group-scope";

/// Whether a memory_scope of OpenCL C reaches no other work-group; false if it is not constant.
bool isGroupScope(const llvm::Value *Scope);

/// "local", "global", "local|global", "" of CLK_LOCAL_MEM_FENCE (1) and CLK_GLOBAL_MEM_FENCE (2);
/// both if not constant.
std::string fenceSpaces(const llvm::Value *Flags);

/// Each of these looks at one declared built-in and returns true when it gave it a body or replaced
/// its calls.
bool defineVectorAccess(llvm::Function &F, const BuiltinName &Name); ///< vload*, vstore*
bool defineAsyncCopy(llvm::Function &F,
                     const BuiltinName &Name); ///< async_work_group_*, wait_group_events
bool defineMath(llvm::Function &F, const BuiltinName &Name);   ///< sincos, fract, modf
bool lowerAtomics(llvm::Function &F, const BuiltinName &Name); ///< atomic_*, atom_*, C11 atomics

/// A call of a work-item function such as _Z12get_local_idj.
llvm::CallInst *queryWorkItemFunction(llvm::IRBuilderBase &Builder, llvm::StringRef Mangled,
                                      unsigned Dimension);
/// With -warpscope-mirror-lanes: numbers the work-items of a row from its end, so that the lanes of
/// a warp run in the other order. Rows that do not divide into warps stay as they are.
void mirrorLanes(llvm::Module &M);

/// Turns a declaration into an internal function that is always inlined.
void makeInlinable(llvm::Function &F);

/// The inverse of lowerAtomics() where OpenCL 1.x has the operation for 32 and 64 bits in global
/// and local memory.
void raiseAtomics(llvm::Module &M);

} // namespace wspasses

#endif
