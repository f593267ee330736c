//===- PlainIntegers.cpp ----------------------------------------------------===//
#include "passes/lower/PlainIntegers.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

Value *smaller(IRBuilder<> &B, CmpInst::Predicate Predicate, Value *X, Value *Y) {
  return B.CreateSelect(B.CreateICmp(Predicate, X, Y), X, Y);
}

/// fshl: the upper half of (X:Y) << Amount; fshr: the lower half of (X:Y) >> Amount.
Value *funnelShift(IRBuilder<> &B, Value *X, Value *Y, Value *Amount, bool IsLeft) {
  Type *T = X->getType();
  Constant *Bits = ConstantInt::get(T, T->getScalarSizeInBits());
  Value *Near = B.CreateURem(Amount, Bits);
  // A shift by all bits is not defined, so the other amount stays below them where it does not
  // count.
  Value *IsZero = B.CreateICmpEQ(Near, ConstantInt::get(T, 0));
  Value *Far = B.CreateSelect(IsZero, ConstantInt::get(T, 0), B.CreateSub(Bits, Near));
  Value *Upper = B.CreateShl(X, IsLeft ? Near : Far);
  Value *Lower = B.CreateLShr(Y, IsLeft ? Far : Near);
  return B.CreateSelect(IsZero, IsLeft ? X : Y, B.CreateOr(Upper, Lower));
}

Value *signedSaturated(IRBuilder<> &B, Value *X, Value *Y, bool IsAddition) {
  Type *T = X->getType();
  const unsigned Bits = T->getScalarSizeInBits();
  Value *Result = IsAddition ? B.CreateAdd(X, Y) : B.CreateSub(X, Y);
  // Overflow: the result's sign differs from X's although the operands' signs do not (or do)
  // differ.
  Value *Signs = IsAddition ? B.CreateXor(Result, Y) : B.CreateXor(X, Y);
  Value *Wrong = B.CreateAnd(Signs, B.CreateXor(Result, X));
  Value *Overflow = B.CreateICmpSLT(Wrong, ConstantInt::get(T, 0));
  Value *Sign = B.CreateAShr(X, Bits - 1);
  Value *Limit = B.CreateXor(Sign, ConstantInt::get(T, APInt::getSignedMaxValue(Bits)));
  return B.CreateSelect(Overflow, Limit, Result);
}

/// OpenCL's built-in of this name for the type of X, or null for vectors and odd widths.
Value *builtin(IRBuilder<> &B, Module &M, StringRef Mangled, Value *X) {
  const char *Code = X->getType()->isIntegerTy(8)    ? "h"
                     : X->getType()->isIntegerTy(16) ? "t"
                     : X->getType()->isIntegerTy(32) ? "j"
                     : X->getType()->isIntegerTy(64) ? "m"
                                                     : nullptr;
  if (!Code)
    return nullptr;
  auto *Signature = FunctionType::get(X->getType(), {X->getType()}, false);
  CallInst *Call =
      B.CreateCall(declareBuiltin(M, (Mangled + Code).str(), Signature, /*ReadNone=*/true), {X});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  return Call;
}

/// Trailing zeros: the ones of (X - 1) & ~X.
Value *trailingZeros(IRBuilder<> &B, Module &M, Value *X) {
  Value *Before = B.CreateSub(X, ConstantInt::get(X->getType(), 1));
  Value *Below = B.CreateAnd(Before, B.CreateNot(X));
  return builtin(B, M, "_Z8popcount", Below);
}

Value *expanded(IntrinsicInst &I) {
  IRBuilder<> B(&I);
  Module &M = *I.getModule();
  Value *X = I.arg_size() > 0 ? I.getArgOperand(0) : nullptr;
  Value *Y = I.arg_size() > 1 ? I.getArgOperand(1) : nullptr;
  switch (I.getIntrinsicID()) {
  case Intrinsic::umin:
    return smaller(B, CmpInst::ICMP_ULT, X, Y);
  case Intrinsic::umax:
    return smaller(B, CmpInst::ICMP_UGT, X, Y);
  case Intrinsic::smin:
    return smaller(B, CmpInst::ICMP_SLT, X, Y);
  case Intrinsic::smax:
    return smaller(B, CmpInst::ICMP_SGT, X, Y);
  case Intrinsic::abs: {
    Value *IsNegative = B.CreateICmpSLT(X, ConstantInt::get(X->getType(), 0));
    return B.CreateSelect(IsNegative, B.CreateNeg(X), X);
  }
  case Intrinsic::usub_sat: {
    Value *IsAbove = B.CreateICmpUGT(X, Y);
    return B.CreateSelect(IsAbove, B.CreateSub(X, Y), ConstantInt::get(X->getType(), 0));
  }
  case Intrinsic::uadd_sat: {
    Value *Sum = B.CreateAdd(X, Y);
    return B.CreateSelect(B.CreateICmpULT(Sum, X), ConstantInt::getAllOnesValue(X->getType()), Sum);
  }
  case Intrinsic::sadd_sat:
    return signedSaturated(B, X, Y, /*IsAddition=*/true);
  case Intrinsic::ssub_sat:
    return signedSaturated(B, X, Y, /*IsAddition=*/false);
  case Intrinsic::fshl:
    return funnelShift(B, X, Y, I.getArgOperand(2), /*IsLeft=*/true);
  case Intrinsic::fshr:
    return funnelShift(B, X, Y, I.getArgOperand(2), /*IsLeft=*/false);
  case Intrinsic::ctpop:
    return builtin(B, M, "_Z8popcount", X);
  case Intrinsic::ctlz:
    return builtin(B, M, "_Z3clz", X);
  case Intrinsic::cttz:
    return trailingZeros(B, M, X);
  default:
    return nullptr;
  }
}

} // namespace

void expandIntegerIntrinsics(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      if (!Intrinsic)
        continue;
      Value *Plain = expanded(*Intrinsic);
      if (!Plain)
        continue;
      Intrinsic->replaceAllUsesWith(Plain);
      Intrinsic->eraseFromParent();
    }
  for (Function &F : make_early_inc_range(M))
    if (F.isIntrinsic() && F.use_empty())
      F.eraseFromParent();
}

} // namespace wspasses
