//===- BuiltinNames.cpp -----------------------------------------------------===//
#include "passes/lower/BuiltinNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Consumes "<length><identifier>".
StringRef takeSourceName(StringRef &Encoded) {
  unsigned Length = 0;
  if (Encoded.consumeInteger(10, Length) || Length > Encoded.size())
    return StringRef();
  StringRef Name = Encoded.take_front(Length);
  Encoded = Encoded.drop_front(Length);
  return Name;
}

/// Consumes qualifiers (const, volatile, restrict, address space, _Atomic).
void takeQualifiers(StringRef &Encoded, BuiltinType &Type) {
  while (!Encoded.empty()) {
    if (Encoded.consume_front("U")) {
      StringRef Name = takeSourceName(Encoded);
      if (Name.consume_front("AS"))
        Name.consumeInteger(10, Type.AddressSpace);
      else if (Name.empty())
        return;
    } else if (!Encoded.consume_front("K") && !Encoded.consume_front("V") &&
               !Encoded.consume_front("r")) {
      return;
    }
  }
}

} // namespace

Optional<BuiltinName> parseBuiltinName(StringRef Mangled) {
  if (!Mangled.consume_front("_Z"))
    return None;
  BuiltinName Result;
  Result.Base = takeSourceName(Mangled);
  Result.Parameters = Mangled;
  if (Result.Base.empty())
    return None;
  return Result;
}

Optional<BuiltinName> calledBuiltin(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return None;
  return parseBuiltinName(Callee->getName());
}

BuiltinType takeBuiltinType(StringRef &Encoded) {
  BuiltinType Type;
  if (Encoded.consume_front("P")) {
    Type.IsPointer = true;
    takeQualifiers(Encoded, Type);
  }
  if (Encoded.consume_front("Dv")) {
    Encoded.consumeInteger(10, Type.Elements);
    Encoded.consume_front("_");
  }
  if (Encoded.startswith("D") && Encoded.size() >= 2) {
    Type.Scalar = Encoded.take_front(2);
    Encoded = Encoded.drop_front(2);
  } else if (!Encoded.empty() && isDigit(Encoded.front())) {
    Type.Scalar = takeSourceName(Encoded);
  } else {
    Type.Scalar = Encoded.take_front(1);
    Encoded = Encoded.drop_front(Type.Scalar.size());
  }
  return Type;
}

Type *typeOf(const BuiltinType &Type, LLVMContext &Context) {
  auto *Scalar = StringSwitch<llvm::Type *>(Type.Scalar)
                     .Cases("c", "a", "h", llvm::Type::getInt8Ty(Context))
                     .Cases("s", "t", llvm::Type::getInt16Ty(Context))
                     .Cases("i", "j", llvm::Type::getInt32Ty(Context))
                     .Cases("l", "m", llvm::Type::getInt64Ty(Context))
                     .Case("f", llvm::Type::getFloatTy(Context))
                     .Case("d", llvm::Type::getDoubleTy(Context))
                     .Case("Dh", llvm::Type::getHalfTy(Context))
                     .Default(nullptr);
  if (!Scalar || Type.Elements == 1)
    return Scalar;
  return FixedVectorType::get(Scalar, Type.Elements);
}

Function *declareBuiltin(Module &M, StringRef Mangled, FunctionType *Type, bool ReadNone) {
  auto *F = cast<Function>(M.getOrInsertFunction(Mangled, Type).getCallee());
  if (F->isDeclaration()) {
    F->setCallingConv(CallingConv::SPIR_FUNC);
    F->setDoesNotThrow();
    if (ReadNone)
      F->setDoesNotAccessMemory();
  }
  return F;
}

} // namespace wspasses
