//===- CudaTypes.h - what debug information says about types ------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CUDATYPES_H
#define WARPSCOPE_PASSES_CUDATYPES_H

#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/JSON.h"

namespace wspasses {

/// A parameter, or a variable that becomes one.
struct ParameterType {
  std::string Text;         ///< "float *", "Particle": as shown
  std::string Element;      ///< scalar by OpenCL's name ("uint"), or the struct's name
  unsigned VectorWidth = 1; ///< of CUDA's float4 and its relatives
  uint64_t Bytes = 0;       ///< of the value, or of what is pointed to
  bool IsPointer = false;
  bool IsStruct = false;
  bool IsConst = false; ///< what is pointed to
  bool IsVolatile = false;
  bool IsRestrict = false;
};

/// Reads a parameter's type; null gives an unknown one.
ParameterType parameterType(const llvm::DIType *Type);
/// Reads a variable's type as if it were passed by pointer: an array's elements are what is pointed
/// to.
ParameterType pointerTo(const llvm::DIType *Variable);

/// One parameter as the tool kernel-signatures prints it. `Kind`: buffer, local, value, struct.
llvm::json::Object toJson(const ParameterType &Type, llvm::StringRef Name, llvm::StringRef Kind,
                          llvm::StringRef Space);

} // namespace wspasses

#endif
