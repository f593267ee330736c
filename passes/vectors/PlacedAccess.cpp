//===- PlacedAccess.cpp -----------------------------------------------------===//
#include "passes/vectors/PlacedAccess.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace wspasses {

Place placeOf(const Value *Pointer, const DataLayout &Layout, int64_t &Offset) {
  const unsigned Width = Layout.getIndexTypeSizeInBits(Pointer->getType());
  APInt Constant(Width, 0);
  Place Result;
  for (Result.Base = Pointer->stripPointerCasts(); isa<GEPOperator>(Result.Base);
       Result.Base = cast<GEPOperator>(Result.Base)->getPointerOperand()->stripPointerCasts()) {
    MapVector<Value *, APInt> Variable;
    if (!cast<GEPOperator>(Result.Base)->collectOffset(Layout, Width, Variable, Constant))
      break;
    for (auto &[Index, Scale] : Variable)
      Result.Steps.push_back({Index, Scale});
  }
  Offset = Constant.getSExtValue();
  return Result;
}

Value *movedBy(IRBuilder<> &Builder, Value *Pointer, int64_t Offset, Type *Accessed) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  Value *Address = Builder.CreateBitCast(Pointer, Builder.getInt8PtrTy(Space));
  if (Offset)
    Address = Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Address, Builder.getInt64(Offset));
  return Builder.CreateBitCast(Address, Accessed->getPointerTo(Space));
}

} // namespace wspasses
