//===- CudaVariables.h - a kernel's global variables --------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CUDAVARIABLES_H
#define WARPSCOPE_PASSES_CUDAVARIABLES_H

#include <string>

#include "passes/cuda/CudaTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace wspasses {

/// What becomes of a variable that CUDA keeps outside of functions.
enum class VariableRole {
  Stays,         ///< stays in global memory with its initial value
  Constant,      ///< __constant__ with an initial value: OpenCL's program-scope constant
  Shared,        ///< a local variable of each kernel that uses it
  DynamicShared, ///< extern __shared__: the launch says how large it is
  Argument,      ///< the host fills it, so it becomes a buffer
};
/// Arguments are the variables without an initial value; with -warpscope-cuda-program all that the
/// host can name (cudaMemcpyToSymbol).
VariableRole roleOf(const llvm::GlobalVariable &G);

/// The functions of a class, which its objects point to: of the device in each kernel.
bool isTableOfVirtualFunctions(const llvm::GlobalVariable &G);

/// The bytes of the variable's initial value; none if they are all zero or hold an address.
llvm::Optional<std::string> initialBytes(const llvm::GlobalVariable &G);

/// __constant__, or what a texture reference is bound to, which a GPU keeps apart, too.
bool isInConstantMemory(const llvm::GlobalVariable &G);

/// The variable's name in the source.
std::string sourceNameOf(const llvm::GlobalVariable &G);

/// Its type as a parameter that points to its elements.
ParameterType typeAsParameter(const llvm::GlobalVariable &G);

/// Variables that a kernel uses, in the module's order.
llvm::SmallVector<llvm::GlobalVariable *, 8> variablesUsedBy(const llvm::Function &F);

/// Lets a kernel use `New` instead of the variable; address spaces may differ.
void replaceIn(llvm::Function &F, llvm::GlobalVariable &G, llvm::Value *New);

/// The variable's elements' type: what an argument in its place points to.
llvm::Type *elementTypeOf(const llvm::GlobalVariable &G);

/// The host's name for a variable or function. What Clang appends to names that belong to one file
/// of several begins differently in its two dialects.
std::string nameOnHost(llvm::StringRef Name);

/// Variables that are the host's own memory: the runtime gives them their value before main().
llvm::json::Array managedVariables(const llvm::Module &M);
/// Variables that no kernel uses: the runtime gives them their value when the host asks for it.
llvm::json::Array unusedVariables(llvm::Module &M);

} // namespace wspasses

#endif
