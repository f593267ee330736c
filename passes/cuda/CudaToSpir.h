//===- CudaToSpir.h - CUDA's device code for the OpenCL route -----*- C++ -*-===//
//
// Clang compiles the .cu file as for SPIR-V devices: pointers are generic (address space 4), shared
// memory is 3, device memory 1, and the headers in include/ already call OpenCL's built-ins. What
// is left to do is here.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_CUDATOSPIR_H
#define WARPSCOPE_PASSES_CUDATOSPIR_H

#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Section of __constant__ variables (include/warpscope/attributes.h).
inline constexpr const char *ConstantSection = "warpscope_constant";
/// Section of __managed__ variables.
inline constexpr const char *ManagedSection = "warpscope_managed";

/// Function attribute of a kernel: its name as CUDA writes it, "saxpy<float>". The function itself
/// has a name that OpenCL can ask for.
inline constexpr const char *DisplayNameAttribute = "warpscope-name";

/// Function attribute of a kernel: what it does that the timed engine does not model,
/// "wmma,cp.async".
inline constexpr const char *UntimedAttribute = "warpscope-untimed";
/// Gives kernels this attribute; before anything is inlined.
void markUntimedKernels(llvm::Module &M);

/// Begins like HardwarePrefix: what has no equivalent; the rest of the name says what it is.
inline constexpr const char *CannotPrefix = "__warpscope_cannot_";
/// Begins like HardwarePrefix: what the host does for device code (passes/RuntimeABI.h,
/// WarpscopeDeviceV1).
inline constexpr const char *DeviceCallPrefix = "__warpscope_device_";
/// Two of them: malloc(), and what a failed assertion calls.
inline constexpr const char *AllocateFunction = "__warpscope_device_allocate";
inline constexpr const char *AssertionFunction = "__warpscope_device_assertion";
/// Returns its pointer; what is loaded through the result is read-only while the kernel runs.
inline constexpr const char *ReadOnlyFunction = "__warpscope_read_only";
/// Ends the thread (passes/cuda/include/warpscope/ptx/memory.h).
inline constexpr const char *ExitFunction = "__warpscope_exit";

/// First: makes the module spir64, drops what only a CUDA host needs, gives C's math functions
/// OpenCL's names, and printf a constant format.
struct CudaToSpirPass : llvm::PassInfoMixin<CudaToSpirPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// When everything is inlined: each kernel gets OpenCL's names, argument metadata and local
/// variables of its own. extern __shared__ arrays, and device and constant variables without an
/// initial value, become arguments behind its own. Writes the signatures if
/// -warpscope-signatures=FILE is given.
struct CudaKernelsPass : llvm::PassInfoMixin<CudaKernelsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Before inlining: the values of functions other than kernels leave memory (CudaSimplify.cpp).
struct CudaCalleesPass : llvm::PassInfoMixin<CudaCalleesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
};

/// In place of always-inline (CudaInline.cpp).
struct CudaInlinePass : llvm::PassInfoMixin<CudaInlinePass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
};

/// After inlining: private memory may be accessed by any type (CudaSimplify.cpp).
struct CudaPrivateAliasingPass : llvm::PassInfoMixin<CudaPrivateAliasingPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Pointers inside a struct that the host passes by value point to global memory.
struct CudaParameterPointersPass : llvm::PassInfoMixin<CudaParameterPointersPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Before optimisation: what the threads of a warp do in step becomes volatile (CudaLockstep.cpp).
struct CudaLockstepPass : llvm::PassInfoMixin<CudaLockstepPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// What LLVM leaves: volatile accesses through a generic pointer whose address space is known.
struct CudaVolatilePass : llvm::PassInfoMixin<CudaVolatilePass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// After optimisation: addresses of shared memory wrap at 32 bits (CudaSharedAddresses.cpp).
struct CudaSharedAddressesPass : llvm::PassInfoMixin<CudaSharedAddressesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// After optimisation: lets all threads of a block reach each warp function (CudaWarp.cpp).
struct CudaWarpPass : llvm::PassInfoMixin<CudaWarpPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Takes out what lets a warp's threads store together (CudaWarp.cpp).
void forgetSteps(llvm::Function &F);

/// Calls through pointers become choices among functions (CudaCalls.cpp).
void replaceCallsThroughPointers(llvm::Module &M);

/// Removes what a kernel cannot do here, once it is on record: the module's other kernels should
/// run.
void dropImpossibleCalls(llvm::Module &M);

/// Makes each call of ExitFunction, of which all are in kernels after inlining, a return.
void returnAtExits(llvm::Function &Kernel);

} // namespace wspasses

#endif
