//===- ExpandMemory.cpp -----------------------------------------------------===//
#include "passes/lower/ExpandMemory.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t InlineLimit = 128;
constexpr uint64_t LargestPiece = 8;

/// One piece of a copy: `Bytes` at `Offset`.
struct Piece {
  uint64_t Offset, Bytes;
  Align Alignment;
};

SmallVector<Piece, 16> piecesOf(uint64_t Size, Align Alignment) {
  SmallVector<Piece, 16> Pieces;
  for (uint64_t Offset = 0; Offset < Size;) {
    uint64_t Bytes = std::min<uint64_t>(LargestPiece, Alignment.value());
    while (Offset + Bytes > Size)
      Bytes /= 2;
    Pieces.push_back({Offset, Bytes, commonAlignment(Alignment, Offset)});
    Offset += Bytes;
  }
  return Pieces;
}

Value *addressOf(IRBuilder<> &Builder, Value *Pointer, const Piece &P) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  Value *Bytes = Builder.CreateBitCast(Pointer, Builder.getInt8PtrTy(Space));
  Value *Address = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Bytes, P.Offset);
  return Builder.CreateBitCast(Address, Builder.getIntNTy(P.Bytes * 8)->getPointerTo(Space));
}

/// All loads first: right for memmove, and the registers are there.
void copyInline(MemTransferInst &Copy, uint64_t Size) {
  IRBuilder<> Builder(&Copy);
  const Align From = Copy.getSourceAlign().valueOrOne(), To = Copy.getDestAlign().valueOrOne();
  const auto Pieces = piecesOf(Size, std::min(From, To));
  SmallVector<Value *, 16> Values;
  for (const Piece &P : Pieces)
    Values.push_back(Builder.CreateAlignedLoad(Builder.getIntNTy(P.Bytes * 8),
                                               addressOf(Builder, Copy.getSource(), P), P.Alignment,
                                               Copy.isVolatile()));
  for (size_t I = 0; I < Pieces.size(); ++I)
    Builder.CreateAlignedStore(Values[I], addressOf(Builder, Copy.getDest(), Pieces[I]),
                               Pieces[I].Alignment, Copy.isVolatile());
}

void setInline(MemSetInst &Set, uint64_t Size) {
  IRBuilder<> Builder(&Set);
  for (const Piece &P : piecesOf(Size, Set.getDestAlign().valueOrOne())) {
    Type *Word = Builder.getIntNTy(P.Bytes * 8);
    APInt Ones = APInt::getSplat(P.Bytes * 8, APInt(8, 1));
    Value *Splat =
        Builder.CreateMul(Builder.CreateZExt(Set.getValue(), Word), ConstantInt::get(Word, Ones));
    Builder.CreateAlignedStore(Splat, addressOf(Builder, Set.getDest(), P), P.Alignment,
                               Set.isVolatile());
  }
}

void expand(MemIntrinsic &Intrinsic, const TargetTransformInfo &TTI) {
  auto *Size = dyn_cast<ConstantInt>(Intrinsic.getLength());
  if (Size && Size->getZExtValue() <= InlineLimit) {
    if (auto *Copy = dyn_cast<MemTransferInst>(&Intrinsic))
      copyInline(*Copy, Size->getZExtValue());
    else
      setInline(cast<MemSetInst>(Intrinsic), Size->getZExtValue());
  } else if (auto *Copy = dyn_cast<MemCpyInst>(&Intrinsic)) {
    expandMemCpyAsLoop(Copy, TTI);
  } else if (auto *Move = dyn_cast<MemMoveInst>(&Intrinsic)) {
    expandMemMoveAsLoop(Move);
  } else {
    expandMemSetAsLoop(cast<MemSetInst>(&Intrinsic));
  }
  Intrinsic.eraseFromParent();
}

} // namespace

PreservedAnalyses ExpandMemoryPass::run(Function &F, FunctionAnalysisManager &AM) {
  SmallVector<MemIntrinsic *, 8> Intrinsics;
  for (Instruction &I : instructions(F))
    if (auto *Intrinsic = dyn_cast<MemIntrinsic>(&I))
      Intrinsics.push_back(Intrinsic);
  for (MemIntrinsic *Intrinsic : Intrinsics)
    expand(*Intrinsic, AM.getResult<TargetIRAnalysis>(F));
  return Intrinsics.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace wspasses
