//===- Clamps.cpp -----------------------------------------------------------===//
#include "passes/describe/Clamps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace wspasses {

namespace {

/// The number that an amount differs from by a constant, whatever its width.
const Value *rootOf(const Value *V) {
  for (;;) {
    const Value *Next = nullptr;
    if (match(V, m_ZExtOrSExt(m_Value(Next))) || match(V, m_Trunc(m_Value(Next))) ||
        match(V, m_Add(m_Value(Next), m_Constant())) ||
        match(V, m_Sub(m_Constant(), m_Value(Next))))
      V = Next;
    else
      return V;
  }
}

/// Whether `Condition` compares the amount of a shift with a number.
bool comparesAmount(const Value *Condition, const Value *Amount) {
  CmpInst::Predicate Predicate;
  const Value *Left = nullptr;
  return !isa<Constant>(Amount) &&
         match(Condition, m_ICmp(Predicate, m_Value(Left), m_Constant())) &&
         CmpInst::isUnsigned(Predicate) && rootOf(Left) == rootOf(Amount);
}

/// 0 where the amount is too large.
bool isClampOfShift(const SelectInst &Select) {
  const Value *Zero = match(Select.getTrueValue(), m_Zero()) ? Select.getTrueValue() : nullptr;
  const Value *Shift = Zero ? Select.getFalseValue() : Select.getTrueValue();
  if (!Zero && !match(Select.getFalseValue(), m_Zero()))
    return false;
  const Value *Amount = nullptr;
  return (match(Shift, m_Shl(m_Value(), m_Value(Amount))) ||
          match(Shift, m_LShr(m_Value(), m_Value(Amount)))) &&
         comparesAmount(Select.getCondition(), Amount);
}

bool isAmountOfAShr(const Instruction &I) {
  return !I.use_empty() && all_of(I.users(), [&](const User *U) {
    return match(U, m_AShr(m_Value(), m_Specific(&I)));
  });
}

/// The largest amount of a shift with the sign.
bool isClampOfSign(const Instruction &I) {
  const Value *Amount = nullptr;
  if (match(&I, m_UMin(m_Value(Amount), m_Constant())) ||
      match(&I, m_c_UMin(m_Value(Amount), m_Constant())))
    return isAmountOfAShr(I);
  return false;
}

/// The value of a NaN.
bool isNan(const SelectInst &Select) {
  const Value *Number = nullptr;
  CmpInst::Predicate Predicate;
  if (!match(Select.getCondition(), m_FCmp(Predicate, m_Value(Number), m_Value())) ||
      (Predicate != CmpInst::FCMP_UNO && Predicate != CmpInst::FCMP_ORD))
    return false;
  const auto IsConversion = [&](const Value *V) {
    const auto *Call = dyn_cast<IntrinsicInst>(V);
    return Call &&
           (Call->getIntrinsicID() == Intrinsic::fptosi_sat ||
            Call->getIntrinsicID() == Intrinsic::fptoui_sat) &&
           Call->getArgOperand(0) == Number;
  };
  return IsConversion(Select.getTrueValue()) || IsConversion(Select.getFalseValue());
}

bool isSelectOrMinimum(const Instruction &I) {
  if (const auto *Select = dyn_cast<SelectInst>(&I);
      Select && (isClampOfShift(*Select) || isNan(*Select)))
    return true;
  return isClampOfSign(I);
}

/// All that it is used for; `Uses` says whether a user is one of it.
template <class Predicate> bool serves(const Instruction &I, Predicate Uses) {
  return !I.use_empty() && all_of(I.users(), [&](const User *U) {
    const auto *User = dyn_cast<Instruction>(U);
    return User && Uses(*User);
  });
}

bool isComparison(const Instruction &I) { return isa<CmpInst>(I) && serves(I, isSelectOrMinimum); }

} // namespace

bool isClamp(const Instruction &I) {
  if (isSelectOrMinimum(I) || isComparison(I))
    return true;
  return match(&I, m_Add(m_Value(), m_Constant())) && serves(I, isComparison);
}

} // namespace wspasses
