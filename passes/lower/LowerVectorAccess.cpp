//===- LowerVectorAccess.cpp - bodies of vloadN, vstoreN and the half forms --===//
//
// The alignment written on the access is the one OpenCL C promises (section 6.13.7 of its
// specification): that of one element, or of the whole vector for vloada_ and vstorea_.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/LowerBuiltins.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

/// What the name says: [vload|vstore][a][_half][N][_rounding].
struct VectorAccess {
  bool IsStore = false;
  bool IsHalf = false;
  unsigned Elements = 1;
  unsigned Stride = 1;    ///< elements that one step of the offset skips
  bool IsAligned = false; ///< the address is a multiple of the whole vector
  StringRef Rounding;     ///< "rte", "rtz", "rtp", "rtn"
};

Optional<VectorAccess> parseVectorAccess(StringRef Name) {
  VectorAccess Result;
  if (Name.consume_front("vstore"))
    Result.IsStore = true;
  else if (!Name.consume_front("vload"))
    return None;
  Result.IsAligned = Name.consume_front("a");
  Result.IsHalf = Name.consume_front("_half");
  Name.consumeInteger(10, Result.Elements);
  Result.Rounding = Name.consume_front("_") ? Name : "rte";
  if (!Result.IsHalf && (Result.Elements == 1 || Result.IsAligned))
    return None;
  Result.Stride = Result.IsAligned && Result.Elements == 3 ? 4 : Result.Elements;
  return Result;
}

Type *vectorOf(Type *Scalar, unsigned Elements) {
  return Elements == 1 ? Scalar : FixedVectorType::get(Scalar, Elements);
}

Value *addressOf(IRBuilder<> &Builder, const VectorAccess &Access, Type *Element, Value *Pointer,
                 Value *Offset) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  Value *Index = Builder.CreateMul(Offset, ConstantInt::get(Offset->getType(), Access.Stride));
  Value *Typed = Builder.CreateBitCast(Pointer, Element->getPointerTo(Space));
  Value *Address = Builder.CreateInBoundsGEP(Element, Typed, Index);
  return Builder.CreateBitCast(Address, vectorOf(Element, Access.Elements)->getPointerTo(Space));
}

/// Rounds to half as asked. fptrunc rounds to nearest even; where that went the wrong way, the
/// neighbour is one away in the bit pattern, towards zero (subtract) or away from it (add).
Value *toHalf(IRBuilder<> &Builder, Value *Data, Type *HalfType, StringRef Rounding) {
  Value *Nearest = Builder.CreateFPTrunc(Data, HalfType);
  if (Rounding == "rte")
    return Nearest;
  Type *Bits = HalfType->getWithNewType(Builder.getInt16Ty());
  Value *Back = Builder.CreateFPExt(Nearest, Data->getType());
  Value *Pattern = Builder.CreateBitCast(Nearest, Bits);
  Value *Negative = Builder.CreateICmpSLT(Pattern, Constant::getNullValue(Bits));
  Value *TooLow = Builder.CreateFCmpOLT(Back, Data), *TooHigh = Builder.CreateFCmpOGT(Back, Data);
  Value *Up = ConstantInt::get(Bits, 1), *Down = ConstantInt::getSigned(Bits, -1),
        *Keep = Constant::getNullValue(Bits);
  Value *Step;
  if (Rounding == "rtp")
    Step = Builder.CreateSelect(TooLow, Builder.CreateSelect(Negative, Down, Up), Keep);
  else if (Rounding == "rtn")
    Step = Builder.CreateSelect(TooHigh, Builder.CreateSelect(Negative, Up, Down), Keep);
  else
    Step = Builder.CreateSelect(Builder.CreateSelect(Negative, TooLow, TooHigh), Down, Keep);
  return Builder.CreateBitCast(Builder.CreateAdd(Pattern, Step), HalfType);
}

} // namespace

bool defineVectorAccess(Function &F, const BuiltinName &Name) {
  Optional<VectorAccess> Access = parseVectorAccess(Name.Base);
  if (!Access)
    return false;
  IRBuilder<> Builder(BasicBlock::Create(F.getContext(), "entry", &F));
  Type *Value = Access->IsStore ? F.getArg(0)->getType() : F.getReturnType();
  Type *Element = Access->IsHalf ? Builder.getHalfTy() : Value->getScalarType();
  Type *InMemory = vectorOf(Element, Access->Elements);
  const uint64_t ElementBytes = Element->getScalarSizeInBits() / 8;
  const Align Alignment(Access->IsAligned ? PowerOf2Ceil(ElementBytes * Access->Stride)
                                          : ElementBytes);
  if (Access->IsStore) {
    llvm::Value *Address = addressOf(Builder, *Access, Element, F.getArg(2), F.getArg(1));
    llvm::Value *Data =
        Access->IsHalf ? toHalf(Builder, F.getArg(0), InMemory, Access->Rounding) : F.getArg(0);
    Builder.CreateAlignedStore(Data, Address, Alignment);
    Builder.CreateRetVoid();
  } else {
    llvm::Value *Address = addressOf(Builder, *Access, Element, F.getArg(1), F.getArg(0));
    llvm::Value *Data = Builder.CreateAlignedLoad(InMemory, Address, Alignment);
    Builder.CreateRet(Access->IsHalf ? Builder.CreateFPExt(Data, Value) : Data);
  }
  makeInlinable(F);
  return true;
}

} // namespace wspasses
