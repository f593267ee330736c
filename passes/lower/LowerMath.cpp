//===- LowerMath.cpp - built-ins that return a second value by pointer ------===//
//
// As calls they would pin the private variable that receives the second value in memory; no GPU
// compiler does that. Definitions follow section 6.13.2 of the OpenCL C specification.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/LowerBuiltins.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Calls the built-in `Name` with arguments of one type, whose mangled form is `Code`.
Value *callMath(IRBuilder<> &Builder, Module &M, StringRef Name, StringRef Code,
                ArrayRef<Value *> Arguments) {
  std::string Mangled = ("_Z" + Twine(Name.size()) + Name + Code).str();
  for (size_t I = 1; I < Arguments.size(); ++I)
    Mangled += Code.startswith("Dv") ? "S_" : Code.str();
  SmallVector<Type *, 2> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  auto *Signature = FunctionType::get(Types[0], Types, false);
  CallInst *Call =
      Builder.CreateCall(declareBuiltin(M, Mangled, Signature, /*ReadNone=*/true), Arguments);
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  return Call;
}

/// The largest number below one: what fract() returns at most.
Constant *belowOne(Type *FloatType) {
  Type *Scalar = FloatType->getScalarType();
  const double Value = Scalar->isDoubleTy()  ? 0x1.fffffffffffffp-1
                       : Scalar->isFloatTy() ? 0x1.fffffep-1
                                             : 0x1.ffcp-1;
  return ConstantFP::get(FloatType, Value);
}

} // namespace

bool defineMath(Function &F, const BuiltinName &Name) {
  if ((Name.Base != "sincos" && Name.Base != "fract" && Name.Base != "modf") || F.arg_size() != 2 ||
      !F.getArg(1)->getType()->isPointerTy())
    return false;
  StringRef Rest = Name.Parameters;
  takeBuiltinType(Rest);
  StringRef Code = Name.Parameters.drop_back(Rest.size());
  Module &M = *F.getParent();
  IRBuilder<> Builder(BasicBlock::Create(F.getContext(), "entry", &F));
  Value *X = F.getArg(0), *Second, *Result;
  if (Name.Base == "sincos") {
    Second = callMath(Builder, M, "cos", Code, {X});
    Result = callMath(Builder, M, "sin", Code, {X});
  } else if (Name.Base == "fract") {
    Second = callMath(Builder, M, "floor", Code, {X});
    Result =
        callMath(Builder, M, "fmin", Code, {Builder.CreateFSub(X, Second), belowOne(X->getType())});
  } else {
    Second = callMath(Builder, M, "trunc", Code, {X});
    // Infinity has the fraction 0, and a fraction has its number's sign.
    Value *Whole = Builder.CreateFCmpOEQ(X, Second);
    Value *Fraction = Builder.CreateSelect(Whole, Constant::getNullValue(X->getType()),
                                           Builder.CreateFSub(X, Second));
    Result = callMath(Builder, M, "copysign", Code, {Fraction, X});
  }
  Value *Pointer = Builder.CreateBitCast(
      F.getArg(1), X->getType()->getPointerTo(F.getArg(1)->getType()->getPointerAddressSpace()));
  Builder.CreateStore(Second, Pointer);
  Builder.CreateRet(Result);
  makeInlinable(F);
  return true;
}

} // namespace wspasses
