//===- InstructionMix.cpp ---------------------------------------------------===//
#include "passes/describe/InstructionMix.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/describe/Clamps.h"
#include "passes/describe/Dependence.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/recursion/Recursion.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace wspasses {

namespace {

uint32_t elementsOf(const Type *T) {
  const auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? Vector->getNumElements() : 1;
}

/// The class of T for an operation that is `Single` on fp32.
StringRef floatClass(const Type *T, StringRef Single) {
  const Type *Scalar = T->getScalarType();
  const bool Fused = Single == "fp32_fma";
  if (Scalar->isHalfTy() && (Fused || Single == "fp32_add" || Single == "fp32_mul"))
    return Fused ? "fp16_fma" : "fp16";
  if (!Scalar->isDoubleTy())
    return Single;
  return StringSwitch<StringRef>(Single)
      .Case("fp32_fma", "fp64_fma")
      .Case("fp32_div", "fp64_div")
      .Cases("fp32_sqrt", "fp32_rsqrt", "fp64_sqrt")
      .Case("fp32_special", "fp64_special")
      .Default("fp64");
}

/// Divisions and remainders of integers, as ptxas 13.0 makes them (machine/ISA.md, "Divisions").
/// The class int_div is an unsigned one of 32 bits by a value; what the others take more, or by a
/// constant instead, is int_alu.
MixEntry divisionEntry(const BinaryOperator &Operator) {
  const bool Signed =
      Operator.getOpcode() == Instruction::SDiv || Operator.getOpcode() == Instruction::SRem;
  const bool Remainder =
      Operator.getOpcode() == Instruction::URem || Operator.getOpcode() == Instruction::SRem;
  const uint32_t Elements = elementsOf(Operator.getType());
  const bool Wide = Operator.getType()->getScalarSizeInBits() > 32;
  if (const auto *Divisor = dyn_cast<Constant>(Operator.getOperand(1))) {
    const auto *Number = dyn_cast_or_null<ConstantInt>(
        Operator.getType()->isVectorTy() ? Divisor->getSplatValue() : Divisor);
    const bool Power = Number && Number->getValue().abs().isPowerOf2();
    const uint32_t Pieces = Power  ? (Signed ? 3 + Remainder : 1) * (Wide ? 2 : 1)
                            : Wide ? 15 + 3 * Remainder
                                   : 4 + Remainder;
    return {"int_alu", Pieces * Elements};
  }
  const uint32_t More = Wide ? 7 : Signed ? 6 - 2 * Remainder : 0;
  return {"int_div", Elements, More * Elements};
}

StringRef binaryClass(const BinaryOperator &Operator) {
  const Type *T = Operator.getType();
  switch (Operator.getOpcode()) {
  case Instruction::Mul:
    return "int_mul";
  case Instruction::FAdd:
  case Instruction::FSub:
    return floatClass(T, "fp32_add");
  case Instruction::FMul:
    return floatClass(T, "fp32_mul");
  case Instruction::FDiv:
  case Instruction::FRem:
    return floatClass(T, "fp32_div");
  default:
    return "int_alu";
  }
}

/// Space in the middle of "load_global": generic pointers are taken for global ones.
StringRef loadClass(unsigned Space) {
  switch (Space) {
  case PrivateSpace:
    return "load_private";
  case ConstantSpace:
    return "load_constant";
  case LocalSpace:
    return "load_local";
  default:
    return "load_global";
  }
}

StringRef storeClass(unsigned Space) {
  return Space == PrivateSpace ? "store_private"
         : Space == LocalSpace ? "store_local"
                               : "store_global";
}

/// Functions that a GPU's special-function unit, or a sequence around it, computes.
bool isSpecialFunction(StringRef Base) {
  Base.consume_front("native_") || Base.consume_front("half_");
  return StringSwitch<bool>(Base)
      .Cases("sin", "cos", "tan", "sincos", "exp", "exp2", "exp10", true)
      .Cases("log", "log2", "log10", "pow", "pown", "powr", "recip", "cbrt", "hypot", true)
      .Cases("sinpi", "cospi", "tanpi", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
             true)
      .Cases("expm1", "log1p", "erf", "erfc", "lgamma", "tgamma", "rootn", "fmod", "remainder",
             true)
      .Cases("length", "fast_length", "normalize", "fast_normalize", "distance", "fast_distance",
             true)
      .Default(false);
}

/// Square roots have classes of their own, since a model gives each its time; empty if it is none.
StringRef rootClass(StringRef Base) {
  Base.consume_front("native_") || Base.consume_front("half_");
  return Base == "sqrt" ? "fp32_sqrt" : Base == "rsqrt" ? "fp32_rsqrt" : "";
}

/// Class of a math function by the name that OpenCL C or LLVM gives it; empty if unknown.
StringRef mathClass(StringRef Base, const Type *T) {
  const bool Float = T->getScalarType()->isFloatingPointTy();
  if (Base == "divide" || Base == "native_divide" || Base == "half_divide")
    return floatClass(T, "fp32_div");
  if (StringRef Root = rootClass(Base); !Root.empty())
    return floatClass(T, Root);
  if (isSpecialFunction(Base))
    return floatClass(T, "fp32_special");
  if (StringSwitch<bool>(Base).Cases("fma", "mad", "fmuladd", "dot", "mix", true).Default(false))
    return floatClass(T, "fp32_fma");
  if (Base.startswith("convert_") || Base == "fptosi" || Base == "fptoui")
    return "convert";
  if (StringSwitch<bool>(Base)
          .Cases("mul24", "mad24", "mul_hi", "mad_hi", "mad_sat", true)
          .Default(false))
    return "int_mul";
  if (StringSwitch<bool>(Base)
          .Cases("min", "max", "clamp", "abs", "abs_diff", "smin", "smax", "umin", "umax", true)
          .Default(false))
    return Float ? floatClass(T, "fp32_add") : "int_alu";
  if (StringSwitch<bool>(Base)
          .Cases("fmin", "fmax", "minnum", "maxnum", "fabs", "copysign", "fdim", "step", true)
          .Cases("floor", "ceil", "rint", "round", "trunc", "sign", "fract", "modf", true)
          .Default(false))
    return floatClass(T, "fp32_add");
  if (StringSwitch<bool>(Base)
          .Cases("popcount", "clz", "ctz", "rotate", "hadd", "rhadd", "add_sat", "sub_sat", true)
          .Cases("upsample", "ctpop", "ctlz", "cttz", "fshl", "fshr", "bitselect", true)
          .Default(false))
    return "int_alu";
  if (Base == "select")
    return "select";
  return "";
}

MixEntry callEntry(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Base;
  if (Callee && Callee->isIntrinsic()) {
    Base = Callee->getName().drop_front(StringRef("llvm.").size()).split('.').first;
    if (Call.getType()->isVoidTy())
      return {"other", 0};
  } else if (Optional<BuiltinName> Name = calledBuiltin(Call)) {
    Base = Name->Base;
  } else if (Callee && Callee->getName().startswith(HardwarePrefix)) {
    Base = Callee->getName().drop_front(StringRef(HardwarePrefix).size());
    if (Base.startswith("barrier_"))
      return {"barrier"};
    // Nothing on a GPU (CudaWarp.cpp), or a register there.
    if (Base == "warp_lockstep" || isStack(Call) || Base == "device_stack_bytes")
      return {"other", 0};
  }
  if (Base == "barrier")
    return {"barrier"};
  if (Base.startswith("atomic_") || Base.startswith("atom_"))
    return {"atomic"};
  // Work-item queries read special registers.
  if (Base.startswith("get_"))
    return {"int_alu"};
  if (Base.startswith("as_"))
    return {"other", 0};
  StringRef Class = mathClass(Base, Call.getType());
  if (Class.empty())
    return {"call"};
  const bool Reduces = Base == "dot";
  return {Class, elementsOf(Reduces ? Call.getArgOperand(0)->getType() : Call.getType())};
}

} // namespace

MixEntry classifyInstruction(const Instruction &I, uint32_t AccessPieces) {
  if (isClamp(I))
    return {"other", 0};
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return {loadClass(Load->getPointerAddressSpace()), AccessPieces};
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return {storeClass(Store->getPointerAddressSpace()), AccessPieces};
  if (const auto *Operator = dyn_cast<BinaryOperator>(&I); Operator && Operator->isIntDivRem())
    return divisionEntry(*Operator);
  if (const auto *Operator = dyn_cast<BinaryOperator>(&I))
    return {binaryClass(*Operator), elementsOf(I.getType())};
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return {"atomic"};
  if (isa<FenceInst>(I))
    return {"barrier"};
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return callEntry(*Call);
  if (isa<UnaryOperator>(I))
    return {floatClass(I.getType(), "fp32_add"), elementsOf(I.getType())};
  if (isTransparent(I) || isa<AllocaInst>(I))
    return {"other", 0};
  if (isa<CastInst>(I))
    return {"convert", elementsOf(I.getType())};
  if (isa<CmpInst>(I))
    return {"compare", elementsOf(I.getType())};
  if (isa<SelectInst>(I))
    return {"select", elementsOf(I.getType())};
  if (isa<PHINode>(I))
    return {"phi"};
  if (isa<GetElementPtrInst>(I))
    return {"int_alu"};
  return {I.isTerminator() ? "branch" : "other"};
}

} // namespace wspasses
