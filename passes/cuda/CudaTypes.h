//===- CudaTypes.h - what debug information says about types ------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_CUDATYPES_H
#define WARPSCOPE_PASSES_CUDATYPES_H

#include <string>
#include <vector>

#include "passes/signatures/Signatures.h"
#include "llvm/ADT/Optional.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace wspasses {

/// Reads a parameter's type; null gives an unknown one.
ParameterType parameterType(const llvm::DIType *Type);
/// Reads a variable's type as if it were passed by pointer: an array's elements are what is pointed
/// to.
ParameterType pointerTo(const llvm::DIType *Variable);

/// A member of a struct, or of a struct inside it, that is no struct itself.
struct FlatField {
  std::string Name; ///< "view.data", "grid.size[2]"
  const llvm::DIType *Type = nullptr;
  uint64_t Offset = 0;            ///< bytes from the struct's beginning
  llvm::Type *InMemory = nullptr; ///< LLVM's type there
};
/// All members of a struct parameter. None if it has to stay as it is: unions, bit fields, virtual
/// functions, more than 64 members, or an array that the kernel might index and no pointer.
llvm::Optional<std::vector<FlatField>> flattenStruct(const llvm::DIType *Type, llvm::StringRef Name,
                                                     llvm::Type *InMemory,
                                                     const llvm::DataLayout &Layout);

} // namespace wspasses

#endif
