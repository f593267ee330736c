//===- Strides.cpp ----------------------------------------------------------===//
#include "passes/record/Strides.h"

#include "passes/record/RuntimeCalls.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

/// Of n bits, the position in a group needs at most 16 bits per dimension: sums of three products
/// fit twice n bits for n >= 32.
struct StrideBuilder::Wide {
  Value *Origin;
  Strides Steps;
};

namespace {

Type *strideType(const Value &V) {
  Type *const Own = V.getType();
  return Own->isPointerTy() ? Type::getInt64Ty(V.getContext()) : Own;
}

unsigned bitsOf(const Value &V) { return strideType(V)->getIntegerBitWidth(); }

} // namespace

template <class Combine>
Strides StrideBuilder::each(const Strides &A, const Strides &B, Combine How) const {
  Strides Result{};
  for (unsigned D = 0; D < 3; ++D)
    Result[D] = A[D] || B[D] ? How(A[D], B[D]) : nullptr;
  return Result;
}

template <class Change> Strides StrideBuilder::each(const Strides &A, Change How) const {
  Strides Result{};
  for (unsigned D = 0; D < 3; ++D)
    Result[D] = A[D] ? How(A[D]) : nullptr;
  return Result;
}

Strides StrideBuilder::of(const Value *V) const { return Known.lookup(V); }

Strides StrideBuilder::sum(IRBuilder<> &Builder, const Strides &A, const Strides &B) const {
  return each(A, B, [&](Value *X, Value *Y) { return !X ? Y : !Y ? X : Builder.CreateAdd(X, Y); });
}

Strides StrideBuilder::product(IRBuilder<> &Builder, const Strides &A, Value *Factor) const {
  return each(A, [&](Value *X) { return Builder.CreateMul(X, Factor); });
}

void StrideBuilder::require(IRBuilder<> &Builder, Value *Condition, const Strides &Along) {
  Value *Bits = Builder.getInt32(WARPSCOPE_VIOLATED);
  for (unsigned D = 0; D < 3; ++D)
    if (Along[D]) {
      Value *const Changes = Builder.CreateIsNotNull(Along[D]);
      Bits = Builder.CreateOr(
          Bits, Builder.CreateShl(Builder.CreateZExt(Changes, Builder.getInt32Ty()), D));
    }
  Value *const Before = Builder.CreateLoad(Builder.getInt32Ty(), Violated);
  Value *const Own = Builder.CreateSelect(Condition, Builder.getInt32(0), Bits);
  Builder.CreateStore(Builder.CreateOr(Before, Own), Violated);
}

StrideBuilder::Wide StrideBuilder::widen(IRBuilder<> &Builder, Value *V, bool IsSigned) const {
  Type *const Type = Builder.getIntNTy(bitsOf(*V) <= 32 ? 64 : 128);
  Value *const Number = Builder.CreateBitOrPointerCast(V, strideType(*V));
  return {Builder.CreateIntCast(Number, Type, IsSigned),
          each(of(V), [&](Value *Step) { return Builder.CreateSExt(Step, Type); })};
}

/// The lowest and the highest value in the box.
std::pair<Value *, Value *> StrideBuilder::extremes(IRBuilder<> &Builder, const Wide &W) const {
  Value *Low = W.Origin, *High = W.Origin;
  for (unsigned D = 0; D < 3; ++D) {
    if (!W.Steps[D])
      continue;
    Value *const Zero = ConstantInt::get(Low->getType(), 0);
    Value *const Way =
        Builder.CreateMul(W.Steps[D], Builder.CreateZExt(Box.Reach[D], Low->getType()));
    Value *const Falls = Builder.CreateICmpSLT(Way, Zero);
    Low = Builder.CreateAdd(Low, Builder.CreateSelect(Falls, Way, Zero));
    High = Builder.CreateAdd(High, Builder.CreateSelect(Falls, Zero, Way));
  }
  return {Low, High};
}

void StrideBuilder::checkRange(IRBuilder<> &Builder, const Wide &W, unsigned Bits, bool IsSigned) {
  const unsigned WideBits = W.Origin->getType()->getIntegerBitWidth();
  const APInt Lowest =
      IsSigned ? APInt::getSignedMinValue(Bits).sext(WideBits) : APInt(WideBits, 0);
  const APInt Highest = IsSigned ? APInt::getSignedMaxValue(Bits).sext(WideBits)
                                 : APInt::getMaxValue(Bits).zext(WideBits);
  const auto [Low, High] = extremes(Builder, W);
  require(Builder,
          Builder.CreateAnd(Builder.CreateICmpSGE(Low, Builder.getInt(Lowest)),
                            Builder.CreateICmpSLE(High, Builder.getInt(Highest))),
          W.Steps);
}

Strides StrideBuilder::ofExtension(IRBuilder<> &Builder, CastInst &Cast) {
  Value *const From = Cast.getOperand(0);
  const bool IsSigned = isa<SExtInst>(Cast);
  checkRange(Builder, widen(Builder, From, IsSigned), bitsOf(*From), IsSigned);
  return each(of(From), [&](Value *Step) { return Builder.CreateSExt(Step, Cast.getType()); });
}

Strides StrideBuilder::ofAddress(IRBuilder<> &Builder, GetElementPtrInst &Address) {
  const DataLayout &Layout = Address.getModule()->getDataLayout();
  Strides Result = of(Address.getPointerOperand());
  for (auto Step = gep_type_begin(Address); Step != gep_type_end(Address); ++Step) {
    Value *const Index = Step.getOperand();
    const Strides Own = of(Index);
    if (Step.isStruct() || Own == Strides{})
      continue;
    if (bitsOf(*Index) < 64)
      checkRange(Builder, widen(Builder, Index, /*IsSigned=*/true), bitsOf(*Index), true);
    const Strides Wide =
        each(Own, [&](Value *V) { return Builder.CreateSExt(V, Builder.getInt64Ty()); });
    const uint64_t Size = Layout.getTypeAllocSize(Step.getIndexedType());
    Result = sum(Builder, Result, product(Builder, Wide, Builder.getInt64(Size)));
  }
  return Result;
}

Strides StrideBuilder::ofSelect(IRBuilder<> &Builder, Value *Condition, Value *A, Value *B) {
  Value *const Zero = ConstantInt::get(strideType(*A), 0);
  return each(of(A), of(B), [&](Value *X, Value *Y) {
    return Builder.CreateSelect(Condition, X ? X : Zero, Y ? Y : Zero);
  });
}

/// The comparison has one result in the whole box. The difference of two affine values is affine.
void StrideBuilder::checkComparison(IRBuilder<> &Builder, CmpInst::Predicate Predicate, Value *A,
                                    Value *B) {
  const bool IsSigned = !CmpInst::isUnsigned(Predicate);
  const Wide Left = widen(Builder, A, IsSigned), Right = widen(Builder, B, IsSigned);
  checkRange(Builder, Left, bitsOf(*A), IsSigned);
  checkRange(Builder, Right, bitsOf(*B), IsSigned);
  const Wide Difference = {Builder.CreateSub(Left.Origin, Right.Origin),
                           each(Left.Steps, Right.Steps, [&](Value *X, Value *Y) {
                             return !Y ? X : !X ? Builder.CreateNeg(Y) : Builder.CreateSub(X, Y);
                           })};
  const auto [Low, High] = extremes(Builder, Difference);
  Value *const Zero = ConstantInt::get(Low->getType(), 0);
  Value *const Below = Builder.CreateICmpSLT(High, Zero);
  Value *const Above = Builder.CreateICmpSGT(Low, Zero);
  const auto AnyOf = [&](Value *X, Value *Y) { return Builder.CreateOr(X, Y); };
  switch (Predicate) {
  case CmpInst::ICMP_EQ:
  case CmpInst::ICMP_NE:
    return require(Builder, AnyOf(AnyOf(Below, Above), Builder.CreateICmpEQ(Low, High)),
                   Difference.Steps);
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGE:
    return require(Builder, AnyOf(Below, Builder.CreateICmpSGE(Low, Zero)), Difference.Steps);
  default: // a > b, a <= b
    return require(Builder, AnyOf(Above, Builder.CreateICmpSLE(High, Zero)), Difference.Steps);
  }
}

/// Along every dimension either the stride is a multiple of the divisor, and only the quotient
/// changes; or all work-items stay within one quotient, and only the remainder does. Computed in 64
/// bits, of numbers from 0 to 2^63 - 1.
Strides StrideBuilder::ofDivision(IRBuilder<> &Builder, const Division &Found) {
  const unsigned Bits = bitsOf(*Found.Value);
  const bool IsSigned = Found.IsSigned || Bits == 64;
  const Wide Number = widen(Builder, Found.Value, IsSigned);
  Type *const WideType = Number.Origin->getType();
  checkRange(Builder, Number, Bits, IsSigned);
  require(Builder,
          Builder.CreateICmpSGE(extremes(Builder, Number).first, ConstantInt::get(WideType, 0)),
          Number.Steps);
  Value *const Zero = Builder.getInt64(0);
  Value *Divisor = Builder.getInt64(uint64_t{1} << Found.Shift);
  if (Found.Divisor) {
    Value *const Given = Builder.CreateIntCast(Found.Divisor, Builder.getInt64Ty(), IsSigned);
    Value *const IsPositive = Builder.CreateICmpSGT(Given, Zero);
    require(Builder, IsPositive);
    Divisor = Builder.CreateSelect(IsPositive, Given, Builder.getInt64(1));
  }
  Strides Quotients{}, Remainders{}, WideRemainders{};
  for (unsigned D = 0; D < 3; ++D) {
    if (!Number.Steps[D])
      continue;
    Value *const Step = Builder.CreateTrunc(Number.Steps[D], Builder.getInt64Ty());
    Value *const IsMultiple = Builder.CreateICmpEQ(Builder.CreateSRem(Step, Divisor), Zero);
    Quotients[D] = Builder.CreateSelect(IsMultiple, Builder.CreateSDiv(Step, Divisor), Zero);
    Remainders[D] = Builder.CreateSelect(IsMultiple, Zero, Step);
    WideRemainders[D] = Builder.CreateSExt(Remainders[D], WideType);
  }
  Value *const Origin = Builder.CreateTrunc(Number.Origin, Builder.getInt64Ty());
  const auto [Low, High] = extremes(
      Builder, {Builder.CreateSExt(Builder.CreateSRem(Origin, Divisor), WideType), WideRemainders});
  require(Builder,
          Builder.CreateAnd(Builder.CreateICmpSGE(Low, ConstantInt::get(WideType, 0)),
                            Builder.CreateICmpSLT(High, Builder.CreateSExt(Divisor, WideType))),
          WideRemainders);
  if (Found.Result == Division::Multiple)
    Quotients = product(Builder, Quotients, Divisor);
  return each(Found.Result == Division::Remainder ? Remainders : Quotients, [&](Value *Step) {
    return Builder.CreateIntCast(Step, Found.Value->getType(), /*isSigned=*/true);
  });
}

Strides StrideBuilder::ofPhi(PHINode &Phi) {
  // Which dimensions matter is only known when all blocks have been seen.
  Strides Result{};
  IRBuilder<> Builder(&Phi);
  for (Value *&Step : Result)
    Step = Builder.CreatePHI(strideType(Phi), Phi.getNumIncomingValues());
  Phis.push_back({&Phi, Result});
  return Result;
}

void StrideBuilder::complete() {
  for (const auto &[Phi, Steps] : Phis)
    for (unsigned Incoming = 0; Incoming < Phi->getNumIncomingValues(); ++Incoming) {
      const Strides Own = of(Phi->getIncomingValue(Incoming));
      for (unsigned D = 0; D < 3; ++D)
        cast<PHINode>(Steps[D])->addIncoming(Own[D] ? Own[D]
                                                    : ConstantInt::get(Steps[D]->getType(), 0),
                                             Phi->getIncomingBlock(Incoming));
    }
}

Strides StrideBuilder::stridesOf(IRBuilder<> &Builder, Instruction &I) {
  if (auto *Address = dyn_cast<GetElementPtrInst>(&I))
    return ofAddress(Builder, *Address);
  Value *const First = I.getOperand(0);
  Value *const Second = I.getNumOperands() > 1 ? I.getOperand(1) : nullptr;
  switch (I.getOpcode()) {
  case Instruction::PHI:
    return ofPhi(cast<PHINode>(I));
  case Instruction::Add:
    return sum(Builder, of(First), of(Second));
  case Instruction::Sub:
    return sum(Builder, of(First),
               each(of(Second), [&](Value *Step) { return Builder.CreateNeg(Step); }));
  case Instruction::Mul:
    return sum(Builder, product(Builder, of(First), Second), product(Builder, of(Second), First));
  case Instruction::Shl:
    return each(of(First), [&](Value *Step) { return Builder.CreateShl(Step, Second); });
  case Instruction::Trunc:
    return each(of(First), [&](Value *Step) { return Builder.CreateTrunc(Step, I.getType()); });
  case Instruction::SExt:
  case Instruction::ZExt:
    return ofExtension(Builder, cast<CastInst>(I));
  case Instruction::Select:
    return ofSelect(Builder, First, Second, I.getOperand(2));
  case Instruction::Or:
    if (isSum(I))
      return sum(Builder, of(First), of(Second));
    break;
  default:
    break;
  }
  if (const auto *MinMax = dyn_cast<MinMaxIntrinsic>(&I)) {
    checkComparison(Builder, MinMax->getPredicate(), First, Second);
    return ofSelect(Builder, Builder.CreateICmp(MinMax->getPredicate(), First, Second), First,
                    Second);
  }
  if (const Optional<Division> Found = divisionOf(I))
    return ofDivision(Builder, *Found);
  // Casts that keep the bits, and freeze.
  return each(of(First), [&](Value *Step) {
    return Builder.CreateIntCast(Step, strideType(I), /*isSigned=*/false);
  });
}

/// Local ids begin at the box's origin; they are what varies.
void StrideBuilder::addWorkItemCall(Instruction &I, WorkItemValue Kind) {
  auto &Call = cast<CallInst>(I);
  const uint64_t Dimension = cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue();
  if (Dimension > 2) // as OpenCL says
    return I.replaceAllUsesWith(Constant::getNullValue(I.getType()));
  IRBuilder<> Builder(&I);
  Value *Number = Box.Origin[Dimension];
  if (Kind == WorkItemValue::GlobalId) {
    Value *const Before =
        Builder.CreateMul(queryWorkItem(Builder, "_Z12get_group_idj", Dimension),
                          queryWorkItem(Builder, "_Z14get_local_sizej", Dimension));
    Number = Builder.CreateAdd(
        Number,
        Builder.CreateAdd(Before, queryWorkItem(Builder, "_Z17get_global_offsetj", Dimension)));
  }
  I.replaceAllUsesWith(Number);
  Strides Own{};
  Own[Dimension] = Builder.getInt64(1);
  Known[Number] = Own;
}

void StrideBuilder::checkSwitch(SwitchInst &Switch) {
  if (of(Switch.getCondition()) == Strides{})
    return;
  IRBuilder<> Builder(&Switch);
  for (const auto &Case : Switch.cases())
    checkComparison(Builder, CmpInst::ICMP_EQ, Switch.getCondition(), Case.getCaseValue());
}

void StrideBuilder::add(Instruction &I, WorkItemValue Kind, bool IsVarying) {
  if (Kind == WorkItemValue::LocalId || Kind == WorkItemValue::GlobalId)
    return addWorkItemCall(I, Kind);
  auto *const Comparison = dyn_cast<ICmpInst>(&I);
  if (!IsVarying && !Comparison)
    return;
  IRBuilder<> Builder(I.getParent(), isa<PHINode>(I) ? I.getParent()->getFirstInsertionPt()
                                                     : std::next(I.getIterator()));
  if (!Comparison)
    Known[&I] = stridesOf(Builder, I);
  else if (of(I.getOperand(0)) != Strides{} || of(I.getOperand(1)) != Strides{})
    checkComparison(Builder, Comparison->getPredicate(), I.getOperand(0), I.getOperand(1));
}

} // namespace wspasses
