//===- Affine.cpp -----------------------------------------------------------===//
#include "passes/record/Affine.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/record/Accepted.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

bool isNumber(const Type &T) {
  return T.isPointerTy() || (T.isIntegerTy() && T.getIntegerBitWidth() <= 64);
}

/// Nothing but loads comes from this parameter that is passed by value: they always give the same.
bool isOnlyLoaded(const Value &Pointer) {
  return all_of(Pointer.users(), [](const User *U) {
    if (const auto *Load = dyn_cast<LoadInst>(U))
      return !Load->isVolatile();
    return (isa<GetElementPtrInst>(U) || isa<BitCastInst>(U) || isa<AddrSpaceCastInst>(U)) &&
           isOnlyLoaded(*U);
  });
}

bool isParameterLoad(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Parameter =
      Load ? dyn_cast<Argument>(getUnderlyingObject(Load->getPointerOperand(), 0)) : nullptr;
  return Parameter && Parameter->hasByValAttr() && isOnlyLoaded(*Parameter);
}

/// Operations that give the same result wherever and whenever they are computed.
bool isPure(const Instruction &I) {
  if (isa<BinaryOperator>(I) || isa<CastInst>(I) || isa<ICmpInst>(I) || isa<SelectInst>(I) ||
      isa<PHINode>(I) || isa<FreezeInst>(I) || isa<GetElementPtrInst>(I) || isa<AllocaInst>(I))
    return true;
  return isPureIntrinsic(I) || isParameterLoad(I) || workItemValueOf(I) != WorkItemValue::None;
}

/// A call that says where in its work-group the work-item is, or which work-group that is.
bool isOfGroup(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Optional<BuiltinName> Name = Call ? calledBuiltin(*Call) : None;
  return Name && (Name->Base == "get_local_id" || Name->Base == "get_group_id");
}

/// Follows addresses and conditions back to arguments and the work-item's number.
class Search {
public:
  Search(Function &Kernel, const KernelPlan &Plan) : Kernel(Kernel), Plan(Plan) {}

  Optional<AffineValues> run() {
    for (const Site &Found : Plan.Sites)
      need(Found.Address);
    for (BasicBlock &Block : Kernel) {
      Instruction *Terminator = Block.getTerminator();
      if (auto *Branch = dyn_cast<BranchInst>(Terminator); Branch && Branch->isConditional())
        Conditions.push_back(Branch->getCondition());
      else if (auto *Switch = dyn_cast<SwitchInst>(Terminator))
        need(Switch->getCondition());
    }
    for (Value *Condition : Conditions)
      need(Condition);
    for (size_t Next = 0; Possible && Next < Needed.size(); ++Next)
      visit(*Needed[Next]);
    if (!Possible)
      return None;
    findVarying();
    if (!all_of(Needed, [this](const Instruction *I) { return isSupported(*I); }) ||
        any_of(Conditions, [this](const Value *Condition) { return isVarying(Condition); }))
      return None;
    Result.AreOfGrid = none_of(Needed, [](const Instruction *I) { return isOfGroup(*I); });
    return std::move(Result);
  }

private:
  void need(Value *V) {
    if (!V)
      return;
    auto *I = dyn_cast<Instruction>(V);
    // A poison or undefined value may be another one wherever it is looked at.
    if (isa<UndefValue>(V) || !isNumber(*V->getType()))
      Possible = false;
    else if (I && Needed.insert(I))
      Result.Needed.insert(I);
  }

  void visit(Instruction &I) {
    if (!isPure(I)) {
      Possible = false;
      return;
    }
    for (Use &Operand : I.operands())
      need(Operand);
  }

  void findVarying() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const Instruction *I : Needed)
        if (!Result.Varying.contains(I) && varies(*I)) {
          Result.Varying.insert(I);
          Changed = true;
        }
    }
  }

  bool varies(const Instruction &I) const {
    if (isa<ICmpInst>(I))
      return false; // that it is the same in the whole box is checked
    const WorkItemValue Kind = workItemValueOf(I);
    return Kind == WorkItemValue::LocalId || Kind == WorkItemValue::GlobalId ||
           any_of(I.operands(), [this](const Use &Operand) { return isVarying(Operand); });
  }

  bool isVarying(const Value *V) const { return Result.Varying.contains(V); }

  /// Whether Skeleton.cpp can say how the value changes from work-item to work-item.
  bool isSupported(const Instruction &I) const {
    if (!isVarying(&I) || workItemValueOf(I) != WorkItemValue::None)
      return true;
    switch (I.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::PHI:
    case Instruction::Freeze:
    case Instruction::Trunc:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::PtrToInt:
    case Instruction::BitCast:
    case Instruction::AddrSpaceCast:
    case Instruction::GetElementPtr:
      return true;
    case Instruction::IntToPtr:
      return I.getOperand(0)->getType()->isIntegerTy(64);
    case Instruction::Mul:
      return !isVarying(I.getOperand(0)) || !isVarying(I.getOperand(1));
    case Instruction::Shl:
      return !isVarying(I.getOperand(1));
    case Instruction::Select:
      return !isVarying(I.getOperand(0));
    default:
      break;
    }
    if (isSum(I) || isa<MinMaxIntrinsic>(I))
      return true;
    const Optional<Division> Found = divisionOf(I);
    return Found && (!Found->Divisor || !isVarying(Found->Divisor));
  }

  Function &Kernel;
  const KernelPlan &Plan;
  SmallVector<Value *, 16> Conditions; ///< conditions of branches
  SetVector<Instruction *> Needed;
  AffineValues Result;
  bool Possible = true;
};

} // namespace

Optional<AffineValues> findAffineValues(Function &Kernel, const KernelPlan &Plan) {
  return Search(Kernel, Plan).run();
}

WorkItemValue workItemValueOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Optional<BuiltinName> Name = Call ? calledBuiltin(*Call) : None;
  if (!Name || (Call->arg_size() != 0 && !isa<ConstantInt>(Call->getArgOperand(0))))
    return WorkItemValue::None;
  return StringSwitch<WorkItemValue>(Name->Base)
      .Case("get_local_id", WorkItemValue::LocalId)
      .Case("get_global_id", WorkItemValue::GlobalId)
      .Cases("get_group_id", "get_local_size", "get_global_size", "get_num_groups",
             "get_global_offset", "get_work_dim", "get_enqueued_local_size", WorkItemValue::Uniform)
      .Default(WorkItemValue::None);
}

bool isSum(const Instruction &I) {
  return I.getOpcode() == Instruction::Or &&
         haveNoCommonBitsSet(I.getOperand(0), I.getOperand(1), I.getModule()->getDataLayout());
}

Optional<Division> divisionOf(const Instruction &I) {
  if (!isa<BinaryOperator>(I))
    return None;
  Value *const Left = I.getOperand(0), *const Right = I.getOperand(1);
  const auto *Constant = dyn_cast<ConstantInt>(Right);
  const APInt *Bits = Constant ? &Constant->getValue() : nullptr;
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
    return Division{Division::Quotient, Left, Right, 0, I.getOpcode() == Instruction::SDiv};
  case Instruction::URem:
  case Instruction::SRem:
    return Division{Division::Remainder, Left, Right, 0, I.getOpcode() == Instruction::SRem};
  case Instruction::LShr:
  case Instruction::AShr:
    if (Bits && Bits->ult(Bits->getBitWidth() - 1))
      return Division{Division::Quotient, Left, nullptr,
                      static_cast<unsigned>(Bits->getZExtValue()),
                      I.getOpcode() == Instruction::AShr};
    return None;
  case Instruction::And:
    if (Bits && Bits->isMask() && !Bits->isAllOnes() &&
        Bits->getActiveBits() < Bits->getBitWidth() - 1)
      return Division{Division::Remainder, Left, nullptr, Bits->countTrailingOnes(), false};
    if (Bits && (-*Bits).isPowerOf2() && Bits->countTrailingZeros() < Bits->getBitWidth() - 1)
      return Division{Division::Multiple, Left, nullptr, Bits->countTrailingZeros(), false};
    return None;
  default:
    return None;
  }
}

} // namespace wspasses
