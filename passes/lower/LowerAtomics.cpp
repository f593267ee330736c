//===- LowerAtomics.cpp - OpenCL's atomics as instructions, and back --------===//
//
// As instructions they clobber only their own address, so loads around them are optimised as on a
// GPU. At the end they become OpenCL 1.x calls again where those exist (ToSpirPass).
//
//===----------------------------------------------------------------------===//
#include "passes/lower/LowerBuiltins.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

/// memory_order of OpenCL C: the values of __ATOMIC_RELAXED and its relatives.
AtomicOrdering orderingOf(const Value *Order) {
  const auto *Constant = dyn_cast<ConstantInt>(Order);
  switch (Constant ? Constant->getZExtValue() : 5) {
  case 0:
    return AtomicOrdering::Monotonic;
  case 1:
  case 2:
    return AtomicOrdering::Acquire;
  case 3:
    return AtomicOrdering::Release;
  case 4:
    return AtomicOrdering::AcquireRelease;
  default:
    return AtomicOrdering::SequentiallyConsistent;
  }
}

/// An atomic built-in's name, taken apart.
struct AtomicName {
  StringRef Operation; ///< "add", "fetch_add", "load", "compare_exchange_strong", …
  bool IsC11 = false;
  bool IsExplicit = false; ///< a memory_order follows the operands
  bool IsOfGroup = false;  ///< of the work-group alone: CUDA's atomicAdd_block()
};

/// Operands of an explicit form before the memory_scope that may follow.
unsigned operandsBeforeScope(StringRef Operation) {
  if (Operation.startswith("compare_exchange"))
    return 5;
  return Operation == "load" || Operation.startswith("flag_") ? 2 : 3;
}

Optional<AtomicName> parseAtomic(StringRef Base) {
  AtomicName Result;
  if (!Base.consume_front("atomic_") && !Base.consume_front("atom_"))
    return None;
  Result.IsOfGroup = Base.consume_back("_group");
  Result.IsExplicit = Base.consume_back("_explicit");
  Result.Operation = Base;
  Result.IsC11 = Base.startswith("fetch_") || Base.startswith("compare_exchange") ||
                 Base.startswith("flag_") || Base == "exchange" || Base == "load" ||
                 Base == "store" || Base == "init";
  return Result;
}

/// The read-modify-write operation of a name, BAD_BINOP if there is none.
AtomicRMWInst::BinOp binaryOperation(StringRef Operation, Type *Value, bool IsUnsigned) {
  Operation.consume_front("fetch_");
  const bool Float = Value->isFloatingPointTy();
  using Rmw = AtomicRMWInst;
  return StringSwitch<Rmw::BinOp>(Operation)
      .Cases("add", "inc", Float ? Rmw::FAdd : Rmw::Add)
      .Cases("sub", "dec", Float ? Rmw::FSub : Rmw::Sub)
      .Cases("xchg", "exchange", Rmw::Xchg)
      .Case("and", Rmw::And)
      .Case("or", Rmw::Or)
      .Case("xor", Rmw::Xor)
      .Case("min", Float        ? Rmw::FMin
                   : IsUnsigned ? Rmw::UMin
                                : Rmw::Min)
      .Case("max", Float        ? Rmw::FMax
                   : IsUnsigned ? Rmw::UMax
                                : Rmw::Max)
      .Default(Rmw::BAD_BINOP);
}

/// Lowers one call. `Element` is the type behind the pointer.
class AtomicLowering {
public:
  AtomicLowering(CallInst *Call, const AtomicName &Name, Type *Element, bool IsUnsigned)
      : Call(Call), Name(Name), Element(Element), IsUnsigned(IsUnsigned), Builder(Call),
        Pointer(pointer(Call->getArgOperand(0))), Alignment(Element->getPrimitiveSizeInBits() / 8) {
  }

  /// The value that replaces the call's result (null for void), None if the operation is unknown.
  Optional<Value *> lower() {
    if (Name.Operation == "load")
      return load();
    if (Name.Operation == "store" || Name.Operation == "init" || Name.Operation == "flag_clear")
      return store();
    if (Name.Operation == "cmpxchg")
      return Builder.CreateExtractValue(exchange(Call->getArgOperand(1), Call->getArgOperand(2)),
                                        0);
    if (Name.Operation.startswith("compare_exchange"))
      return compareExchange();
    if (Name.Operation == "flag_test_and_set")
      return testAndSet();
    return readModifyWrite();
  }

private:
  [[nodiscard]] bool isOfGroup() const {
    const unsigned Before = operandsBeforeScope(Name.Operation);
    return Name.IsOfGroup || (Name.IsC11 && Name.IsExplicit && Call->arg_size() > Before &&
                              isGroupScope(Call->getArgOperand(Before)));
  }
  template <class Access> Access *marked(Access *I) const {
    if (isOfGroup())
      I->setMetadata(GroupScopeMetadata, MDNode::get(I->getContext(), {}));
    return I;
  }
  Value *pointer(Value *Operand) {
    return Builder.CreateBitCast(
        Operand, Element->getPointerTo(Operand->getType()->getPointerAddressSpace()));
  }
  /// Operand `Index` holds the memory_order of an explicit form; OpenCL 1.x atomics are relaxed.
  AtomicOrdering ordering(unsigned Index) const {
    if (!Name.IsC11)
      return AtomicOrdering::Monotonic;
    return Name.IsExplicit ? orderingOf(Call->getArgOperand(Index))
                           : AtomicOrdering::SequentiallyConsistent;
  }
  /// Instcombine would make a store of an exchange whose result is not used, unless it acquires.
  Value *rmw(AtomicRMWInst::BinOp Operation, Value *Operand, AtomicOrdering Order) {
    if (Operation == AtomicRMWInst::Xchg && !isAcquireOrStronger(Order))
      Order = Order == AtomicOrdering::Monotonic ? AtomicOrdering::Acquire
                                                 : AtomicOrdering::AcquireRelease;
    return marked(Builder.CreateAtomicRMW(Operation, Pointer, Operand, Alignment, Order));
  }
  Value *load() {
    AtomicOrdering Order = ordering(1);
    if (isReleaseOrStronger(Order))
      Order = AtomicOrdering::SequentiallyConsistent;
    LoadInst *Load = Builder.CreateAlignedLoad(Element, Pointer, Alignment);
    Load->setAtomic(Order);
    return marked(Load);
  }
  Value *store() {
    const bool Clear = Name.Operation == "flag_clear";
    AtomicOrdering Order =
        Name.Operation == "init" ? AtomicOrdering::Monotonic : ordering(Clear ? 1 : 2);
    if (isAcquireOrStronger(Order))
      Order = AtomicOrdering::SequentiallyConsistent;
    Value *Data = Clear ? Constant::getNullValue(Element) : Call->getArgOperand(1);
    marked(Builder.CreateAlignedStore(Data, Pointer, Alignment))->setAtomic(Order);
    return nullptr;
  }
  Value *exchange(Value *Expected, Value *Desired) {
    AtomicOrdering Success = ordering(3),
                   Failure = AtomicCmpXchgInst::getStrongestFailureOrdering(Success);
    // cmpxchg takes integers only.
    Type *Bits = Builder.getIntNTy(Element->getPrimitiveSizeInBits());
    Value *Address = Builder.CreateBitCast(
        Pointer, Bits->getPointerTo(Pointer->getType()->getPointerAddressSpace()));
    return marked(Builder.CreateAtomicCmpXchg(Address, Builder.CreateBitCast(Expected, Bits),
                                              Builder.CreateBitCast(Desired, Bits), Alignment,
                                              Success, Failure));
  }
  /// Stores the old value to *expected; after a success it is the value that was there.
  Value *compareExchange() {
    Value *ExpectedAddress = pointer(Call->getArgOperand(1));
    Value *Pair = exchange(Builder.CreateLoad(Element, ExpectedAddress), Call->getArgOperand(2));
    Builder.CreateStore(Builder.CreateBitCast(Builder.CreateExtractValue(Pair, 0), Element),
                        ExpectedAddress);
    return Builder.CreateZExtOrTrunc(Builder.CreateExtractValue(Pair, 1), Call->getType());
  }
  Value *testAndSet() {
    Value *Old = rmw(AtomicRMWInst::Xchg, ConstantInt::get(Element, 1), ordering(1));
    return Builder.CreateZExtOrTrunc(Builder.CreateIsNotNull(Old), Call->getType());
  }
  Optional<Value *> readModifyWrite() {
    AtomicRMWInst::BinOp Operation = binaryOperation(Name.Operation, Element, IsUnsigned);
    if (Operation == AtomicRMWInst::BAD_BINOP)
      return None;
    const bool Unary = Name.Operation == "inc" || Name.Operation == "dec";
    Value *Operand = Unary ? ConstantInt::get(Element, 1) : Call->getArgOperand(1);
    // atomic_fetch_add(atomic_intptr_t *, ptrdiff_t) and its relatives may widen.
    if (Operand->getType() != Element && Element->isIntegerTy())
      Operand = Builder.CreateZExtOrTrunc(Operand, Element);
    return rmw(Operation, Operand, ordering(2));
  }

  CallInst *Call;
  AtomicName Name;
  Type *Element;
  bool IsUnsigned;
  IRBuilder<> Builder;
  Value *Pointer;
  Align Alignment;
};

/// Mangled name of the OpenCL 1.x function for an operation: 32 bits "atomic_add", 64 bits
/// "atom_add" (the cl_khr_int64_*_atomics extensions' prefix).
std::string openCl1Name(StringRef Operation, unsigned Bits, unsigned Space, StringRef Code,
                        unsigned Operands) {
  std::string Base = ((Bits == 64 ? "atom_" : "atomic_") + Operation).str();
  std::string Name =
      "_Z" + std::to_string(Base.size()) + Base + "PU3AS" + std::to_string(Space) + "V";
  for (unsigned I = 0; I <= Operands; ++I)
    Name += Code;
  return Name;
}

void raise(Instruction &I, StringRef Operation, StringRef Code, Value *Pointer,
           ArrayRef<Value *> Operands) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  Type *Element = Operands[0]->getType();
  SmallVector<Value *, 3> Arguments{Pointer};
  append_range(Arguments, Operands);
  SmallVector<Type *, 3> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  std::string Name =
      openCl1Name(Operation, Element->getPrimitiveSizeInBits(), Space, Code, Operands.size());
  Function *F = declareBuiltin(*I.getModule(), Name, FunctionType::get(Element, Types, false),
                               /*ReadNone=*/false);
  IRBuilder<> Builder(&I);
  CallInst *Call = Builder.CreateCall(F, Arguments);
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  Call->copyMetadata(I);
  if (!isa<AtomicCmpXchgInst>(I)) {
    I.replaceAllUsesWith(Call);
  } else {
    Value *Success = Builder.CreateICmpEQ(Call, Operands[0]);
    Value *Pair = Builder.CreateInsertValue(PoisonValue::get(I.getType()), Call, 0);
    I.replaceAllUsesWith(Builder.CreateInsertValue(Pair, Success, 1));
  }
  I.eraseFromParent();
}

bool isOpenCl1Atomic(Type *Element, unsigned Space) {
  return (Element->isIntegerTy(32) || Element->isIntegerTy(64)) &&
         (Space == GlobalSpace || Space == LocalSpace);
}

/// OpenCL 1.x's name of an operation; empty if it has none.
StringRef openCl1Operation(AtomicRMWInst::BinOp Operation) {
  using R = AtomicRMWInst;
  if (Operation == R::Nand || R::isFPOperation(Operation))
    return "";
  StringRef Name = R::getOperationName(Operation);
  Name.consume_front("u"); // umin, umax
  return Name;
}

void raiseReadModifyWrite(AtomicRMWInst &Rmw) {
  const AtomicRMWInst::BinOp Operation = Rmw.getOperation();
  Type *Element = Rmw.getValOperand()->getType();
  const unsigned Space = Rmw.getPointerAddressSpace();
  const bool FloatExchange = Operation == AtomicRMWInst::Xchg && Element->isFloatTy() &&
                             (Space == GlobalSpace || Space == LocalSpace);
  const StringRef Name = openCl1Operation(Operation);
  if (Name.empty() || (!isOpenCl1Atomic(Element, Space) && !FloatExchange))
    return;
  const bool IsUnsigned = Operation == AtomicRMWInst::UMin || Operation == AtomicRMWInst::UMax;
  const bool Is32 = Element->isIntegerTy(32);
  const StringRef Integer = Is32 ? (IsUnsigned ? "j" : "i") : (IsUnsigned ? "m" : "l");
  raise(Rmw, Name, FloatExchange ? "f" : Integer, Rmw.getPointerOperand(), {Rmw.getValOperand()});
}

} // namespace

// Of work-items, work-groups and sub-groups.
bool isGroupScope(const Value *Scope) {
  const auto *Constant = dyn_cast<ConstantInt>(Scope);
  const uint64_t Value = Constant ? Constant->getZExtValue() : 2;
  return Value == 0 || Value == 1 || Value == 4;
}

bool lowerAtomics(Function &F, const BuiltinName &Name) {
  Optional<AtomicName> Atomic = parseAtomic(Name.Base);
  if (!Atomic || F.arg_empty() || !F.getArg(0)->getType()->isPointerTy())
    return false;
  StringRef Parameters = Name.Parameters;
  BuiltinType Object = takeBuiltinType(Parameters);
  Type *Element = typeOf(Object, F.getContext());
  if (!Element)
    return false;
  SmallVector<User *, 8> Users(F.users());
  for (User *U : Users) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledFunction() != &F)
      continue;
    Optional<Value *> Result = AtomicLowering(Call, *Atomic, Element, Object.isUnsigned()).lower();
    if (!Result)
      return false;
    if (*Result)
      Call->replaceAllUsesWith(*Result);
    Call->eraseFromParent();
  }
  return true;
}

void raiseAtomics(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I)) {
        raiseReadModifyWrite(*Rmw);
      } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
        Type *Element = Exchange->getNewValOperand()->getType();
        if (isOpenCl1Atomic(Element, Exchange->getPointerAddressSpace()))
          raise(I, "cmpxchg", Element->isIntegerTy(32) ? "i" : "l", Exchange->getPointerOperand(),
                {Exchange->getCompareOperand(), Exchange->getNewValOperand()});
      }
    }
}

} // namespace wspasses
