//===- CudaArithmetic.cpp - what a GPU computes where C++ defines nothing ---===//
//
// Before anything is optimised, operations whose result LLVM may choose get the one of PTX: a shift
// by all bits or more, a conversion of a number that does not fit. Divisions by zero are made such
// at the end (defineDivisions), as the result of none is known before. Clamps.h tells the
// instructions that are here for this from those of the program: machine code has none of them.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaArithmetic.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned RegisterBits = 32;

/// PTX ISA, shl and shr: "Shift amounts greater than the register width are clamped."
Value *clampedShift(BinaryOperator &Shift) {
  Type *T = Shift.getType();
  const unsigned Bits = T->getScalarSizeInBits();
  Value *Amount = Shift.getOperand(1);
  const auto *Known = dyn_cast<ConstantInt>(Amount);
  if (Known && Known->getValue().ult(Bits))
    return nullptr;
  IRBuilder<> B(&Shift);
  Value *Fits = B.CreateICmpULT(Amount, ConstantInt::get(T, Bits));
  if (Shift.getOpcode() == Instruction::AShr) {
    Value *Near = B.CreateSelect(Fits, Amount, ConstantInt::get(T, Bits - 1));
    return B.CreateAShr(Shift.getOperand(0), Near, "", Shift.isExact());
  }
  // Where it does not fit, the shift's own result is not looked at.
  auto *Shifted = cast<BinaryOperator>(Shift.clone());
  B.Insert(Shifted);
  return B.CreateSelect(Fits, Shifted, ConstantInt::get(T, 0));
}

/// PTX ISA, cvt: a number that does not fit becomes the nearest one; a NaN becomes 0, and the
/// number whose first bit alone is set where 64 bits are at either end. As nvcc does, a narrower
/// integer is the lower part of one of 32 bits.
Value *saturatedConversion(CastInst &Conversion) {
  Type *To = Conversion.getType(), *From = Conversion.getSrcTy();
  const bool IsSigned = Conversion.getOpcode() == Instruction::FPToSI;
  IRBuilder<> B(&Conversion);
  const unsigned Bits = To->getScalarSizeInBits();
  Type *Wide = Bits >= RegisterBits ? To : To->getWithNewBitWidth(RegisterBits);
  Value *Number = Conversion.getOperand(0);
  Value *Result = B.CreateIntrinsic(IsSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                    {Wide, From}, {Number});
  if (From->getScalarSizeInBits() > RegisterBits || Bits > RegisterBits) {
    Constant *First = ConstantInt::get(Wide, APInt::getSignMask(Wide->getScalarSizeInBits()));
    Result = B.CreateSelect(B.CreateFCmpUNO(Number, Number), First, Result);
  }
  return Wide == To ? Result : B.CreateTrunc(Result, To);
}

/// The quotient and the remainder of a literal zero: as those of any other one, below.
Value *divisionByZero(const BinaryOperator &Division) {
  const auto *Divisor = dyn_cast<Constant>(Division.getOperand(1));
  return Divisor && Divisor->isNullValue() ? Constant::getAllOnesValue(Division.getType())
                                           : nullptr;
}

Value *defined(Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return clampedShift(cast<BinaryOperator>(I));
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return saturatedConversion(cast<CastInst>(I));
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return divisionByZero(cast<BinaryOperator>(I));
  default:
    return nullptr;
  }
}

bool isDivision(const Instruction &I) {
  return I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::SDiv ||
         I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem;
}

/// Whether the CPU may stop at it.
bool mayStop(const Instruction &I) {
  if (!isDivision(I))
    return false;
  const auto *Known = dyn_cast<ConstantInt>(I.getOperand(1));
  return !Known || Known->isZero() || Known->isMinusOne();
}

/// By zero a GPU's quotient and remainder have all bits set: PTX leaves them to the machine, and
/// this is what its machine code computes. The smallest number by -1 is itself.
void defineDivision(BinaryOperator &Division) {
  Type *T = Division.getType();
  Value *Left = Division.getOperand(0), *Right = Division.getOperand(1);
  IRBuilder<> B(&Division);
  Value *IsZero = B.CreateICmpEQ(Right, ConstantInt::get(T, 0));
  Value *Stops = IsZero;
  if (Division.getOpcode() == Instruction::SDiv || Division.getOpcode() == Instruction::SRem) {
    Constant *First = ConstantInt::get(T, APInt::getSignMask(T->getScalarSizeInBits()));
    Value *IsMinusOne = B.CreateICmpEQ(Right, Constant::getAllOnesValue(T));
    Stops = B.CreateOr(IsZero, B.CreateAnd(IsMinusOne, B.CreateICmpEQ(Left, First)));
  }
  Value *Safe = B.CreateSelect(Stops, ConstantInt::get(T, 1), Right);
  Division.setOperand(1, Safe);
  B.SetInsertPoint(Division.getNextNode());
  Value *Result = B.CreateSelect(IsZero, Constant::getAllOnesValue(T), &Division);
  Division.replaceUsesWithIf(Result, [&](Use &U) { return U.getUser() != Result; });
}

} // namespace

PreservedAnalyses CudaArithmeticPass::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (Value *Result = defined(I)) {
        if (auto *New = dyn_cast<Instruction>(Result); New && !New->hasName())
          New->takeName(&I);
        I.replaceAllUsesWith(Result);
        I.eraseFromParent();
      }
  return PreservedAnalyses::none();
}

void defineDivisions(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (mayStop(I))
        defineDivision(cast<BinaryOperator>(I));
}

} // namespace wspasses
