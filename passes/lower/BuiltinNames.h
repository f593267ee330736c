//===- BuiltinNames.h - what an OpenCL built-in's mangled name says -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_BUILTINNAMES_H
#define WARPSCOPE_PASSES_BUILTINNAMES_H

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace wspasses {

/// Prefix of functions that represent one hardware instruction: never inlined, their bodies not
/// recorded.
inline constexpr const char *HardwarePrefix = "__warpscope_";

/// The target that OpenCL C is compiled for, and that captures hold.
inline constexpr const char *SpirTriple = "spir64-unknown-unknown";

/// Address spaces of SPIR as LLVM numbers them; equal to warpscope::AddressSpace.
enum : unsigned {
  PrivateSpace = 0,
  GlobalSpace = 1,
  ConstantSpace = 2,
  LocalSpace = 3,
  GenericSpace = 4
};

/// A parameter type of a built-in: "PU3AS1VKDv4_f" is a pointer to a volatile const global float4.
struct BuiltinType {
  bool IsPointer = false;
  unsigned AddressSpace = PrivateSpace;
  unsigned Elements = 1; ///< number of elements of a vector
  llvm::StringRef
      Scalar; ///< Itanium code of the scalar: "i", "j", "f", "Dh", …; a name for other types
  bool isUnsigned() const {
    return Scalar == "h" || Scalar == "t" || Scalar == "j" || Scalar == "m";
  }
};

/// A built-in's name without its parameters, and the parameters' encoding.
struct BuiltinName {
  llvm::StringRef Base;       ///< "atomic_add"
  llvm::StringRef Parameters; ///< "PU3AS1Vii"
};

/// Splits an Itanium-mangled name. None if it is not mangled (the user's own functions are not).
llvm::Optional<BuiltinName> parseBuiltinName(llvm::StringRef Mangled);

/// The built-in that an instruction calls: a declared function with a mangled name.
llvm::Optional<BuiltinName> calledBuiltin(const llvm::CallBase &Call);

/// First type of an encoded parameter list; removes it from the list.
BuiltinType takeBuiltinType(llvm::StringRef &Encoded);

/// LLVM's type for a scalar or vector code; null if it is not arithmetic.
llvm::Type *typeOf(const BuiltinType &Type, llvm::LLVMContext &Context);

/// Declares (once) a SPIR built-in: nounwind, and readnone if so wanted.
llvm::Function *declareBuiltin(llvm::Module &M, llvm::StringRef Mangled, llvm::FunctionType *Type,
                               bool ReadNone);

} // namespace wspasses

#endif
