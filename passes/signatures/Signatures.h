//===- Signatures.h - which kernels a file has, and their parameters -*- C++ -*-===//
//
// As JSON, for the side that launches them: {"kernels": [{"name", "line", "parameters", …}]}. The
// facts are in the bitcode: OpenCL's in the metadata of -cl-kernel-arg-info and in types, CUDA's in
// debug information (passes/cuda/CudaTypes.h).
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_SIGNATURES_H
#define WARPSCOPE_PASSES_SIGNATURES_H

#include <string>

#include "llvm/IR/PassManager.h"
#include "llvm/Support/JSON.h"

namespace wspasses {

/// A parameter's type, or that of a variable which becomes a parameter.
struct ParameterType {
  std::string Text;         ///< "float *", "Particle": as shown
  std::string Element;      ///< scalar by OpenCL's name ("uint"), or the struct's name
  unsigned VectorWidth = 1; ///< number of elements of float4 and other vectors
  uint64_t Bytes = 0;       ///< size of the value, or of what is pointed to
  bool IsPointer = false;
  bool IsStruct = false;
  bool IsConst = false; ///< what is pointed to
  bool IsVolatile = false;
  bool IsRestrict = false;
};

/// One parameter. `Kind`: buffer (global or constant memory), local (the host sets its size),
/// value, struct, image, sampler or pipe. `Space`: the address space that it points to.
llvm::json::Object toJson(const ParameterType &Type, llvm::StringRef Name, llvm::StringRef Kind,
                          unsigned Space);

/// Writes them to the file of -warpscope-signatures=FILE, if it is given.
void writeSignatures(llvm::json::Object Signatures);

/// Text `Index` of a kernel's argument metadata: "kernel_arg_name" and its relatives; "" if absent.
std::string argumentText(const llvm::Function &F, llvm::StringRef Key, unsigned Index);
/// The address space that the source gives argument `Index`.
unsigned argumentSpace(const llvm::Function &F, unsigned Index);

/// First of the passes for OpenCL: writes the signatures of what the front end made.
struct SignaturesPass : llvm::PassInfoMixin<SignaturesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

} // namespace wspasses

#endif
