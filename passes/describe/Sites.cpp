//===- Sites.cpp ------------------------------------------------------------===//
#include "passes/describe/Sites.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/LowerBuiltins.h"
#include "passes/lower/SourceLines.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using warpscope::AccessKind;

namespace wspasses {

namespace {

Verdict skip(SkipReason Reason, const Twine &What = "") { return {Reason, What.str(), {}}; }

warpscope::AddressSpace spaceOf(const Value &Pointer) {
  return static_cast<warpscope::AddressSpace>(Pointer.getType()->getPointerAddressSpace());
}

bool isKernelParameter(const Value *Address) {
  const auto *Parameter = dyn_cast<Argument>(getUnderlyingObject(Address));
  return Parameter && Parameter->hasByValAttr();
}

/// A pointer to local or constant memory that is made of an address of other memory, or in OpenCL C
/// of a number: it says nothing about where it points to, and a GPU would access something else.
bool isMadeOfAnother(const Value *Address, unsigned Space, const Function &F) {
  if (Space != LocalSpace && Space != ConstantSpace)
    return false;
  const bool IsCuda = F.hasFnAttribute(DisplayNameAttribute);
  SmallVector<const Value *, 4> Bases;
  getUnderlyingObjects(Address, Bases, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Bases, [&](const Value *Base) {
    const unsigned From =
        Base->getType()->isPointerTy() ? Base->getType()->getPointerAddressSpace() : Space;
    const auto *Made = dyn_cast<Operator>(Base);
    return (From != Space && From != GenericSpace) ||
           (!IsCuda && Made && Made->getOpcode() == Instruction::IntToPtr);
  });
}

Verdict access(Site Found, Type *AccessType, const SiteOptions &Options) {
  const unsigned Space = Found.Address->getType()->getPointerAddressSpace();
  if (Space > GenericSpace)
    return skip(SkipReason::Untraceable, "access to address space " + Twine(Space));
  if (isMadeOfAnother(Found.Address, Space, *Found.Inst->getFunction()))
    return skip(SkipReason::Untraceable, Twine("access to ") +
                                             (Space == LocalSpace ? "local" : "constant") +
                                             " memory by an address of other memory");
  if (isKernelParameter(Found.Address))
    return skip(SkipReason::KernelParameter);
  if (!(Options.Spaces >> Space & 1))
    return skip(SkipReason::SpaceExcluded);
  Found.Space = spaceOf(*Found.Address);
  if (Found.Inst->getMetadata(GroupScopeMetadata))
    Found.Operation += Found.Operation.empty() ? "group" : ".group";
  Found.Width =
      Found.Inst->getModule()->getDataLayout().getTypeStoreSize(AccessType).getFixedSize();
  Found.IsStreaming = Found.Inst->hasMetadata(LLVMContext::MD_nontemporal);
  return {SkipReason::None, "", std::move(Found)};
}

Verdict sync(Instruction &I, AccessKind Kind, std::string Operation, const SiteOptions &Options) {
  if (!Options.Sync)
    return skip(SkipReason::SpaceExcluded);
  Site Found;
  Found.Inst = &I;
  Found.Kind = Kind;
  // A barrier orders the spaces that `operation` names; the site itself is in none.
  Found.Space =
      Operation == "global" ? warpscope::AddressSpace::Global : warpscope::AddressSpace::Local;
  Found.Operation = std::move(Operation);
  return {SkipReason::None, "", std::move(Found)};
}

Verdict fence(FenceInst &Fence, const SiteOptions &Options) {
  std::string Spaces = "local|global";
  if (const MDNode *Node = Fence.getMetadata(FenceMetadata))
    Spaces = cast<MDString>(Node->getOperand(0))->getString().str();
  return sync(Fence, AccessKind::Fence, Spaces, Options);
}

/// An OpenCL 1.x atomic: the pointer comes first, the value has the result's type.
Verdict atomicCall(CallInst &Call, StringRef Operation, const SiteOptions &Options) {
  Site Found;
  Found.Inst = &Call;
  Found.Address = Call.getArgOperand(0);
  Found.Kind = AccessKind::Atomic;
  Found.Operation = Operation.str();
  return access(std::move(Found), Call.getType(), Options);
}

/// Math built-ins that return a second value by pointer and that LowerMath leaves alone.
Verdict mathStore(CallInst &Call, const BuiltinName &Name, const SiteOptions &Options) {
  Site Found;
  Found.Inst = &Call;
  Found.Address = Call.getArgOperand(Call.arg_size() - 1);
  Found.Kind = AccessKind::Store;
  Type *Second = Call.getType();
  if (Name.Base != "sincos" && Name.Base != "fract" && Name.Base != "modf")
    Second = Second->getWithNewType(Type::getInt32Ty(Call.getContext()));
  return access(std::move(Found), Second, Options);
}

/// What a built-in does that no site can express; empty if nothing.
std::string untraceableBuiltin(StringRef Base) {
  if (Base.startswith("read_image") || Base.startswith("write_image"))
    return ("image access (" + Base + ")").str();
  if (Base.startswith("sub_group_") || Base.startswith("intel_sub_group_"))
    return ("sub-group function (" + Base + ")").str();
  if (Base.startswith("work_group_") && Base != "work_group_barrier")
    return ("work-group function (" + Base + ")").str();
  if (Base.contains("_pipe"))
    return ("pipe (" + Base + ")").str();
  if (Base.contains("enqueue_"))
    return ("device enqueue (" + Base + ")").str();
  return "";
}

Verdict builtinCall(CallInst &Call, const BuiltinName &Name, const SiteOptions &Options) {
  if (Name.Base == "barrier")
    return sync(Call, AccessKind::Barrier, fenceSpaces(Call.getArgOperand(0)), Options);
  StringRef Operation = Name.Base;
  if ((Operation.consume_front("atomic_") || Operation.consume_front("atom_")) &&
      Call.arg_size() > 0 && Call.getArgOperand(0)->getType()->isPointerTy() &&
      !Call.getType()->isVoidTy())
    return atomicCall(Call, Operation, Options);
  if (std::string What = untraceableBuiltin(Name.Base); !What.empty())
    return skip(SkipReason::Untraceable, What);
  if (StringSwitch<bool>(Name.Base)
          .Cases("sincos", "fract", "modf", "frexp", "lgamma_r", "remquo", true)
          .Default(false))
    return mathStore(Call, Name, Options);
  return skip(SkipReason::NoAccess);
}

/// What CUDA's headers declare for the hardware: one instruction of a GPU, whatever the body does.
Verdict hardwareCall(CallInst &Call, StringRef Name, const SiteOptions &Options) {
  if (Name.consume_front(CannotPrefix))
    return skip(SkipReason::Untraceable,
                Name.contains(' ') ? Name.str() : Name.str() + ", which has no equivalent here");
  Name.consume_front(HardwarePrefix);
  if (Name.consume_front("barrier_"))
    return sync(Call, AccessKind::Barrier, "local|global", Options);
  if (!Name.consume_front("atomic_"))
    return skip(SkipReason::NoAccess);
  Verdict Result = atomicCall(Call, Name, Options);
  if (Result.Reason != SkipReason::None)
    return Result;
  // The body takes a generic pointer.
  Result.Found.Address = Result.Found.Address->stripPointerCasts();
  Result.Found.Space = spaceOf(*Result.Found.Address);
  return Result;
}

bool takesPointer(const CallInst &Call) {
  return any_of(Call.args(),
                [](const Use &Argument) { return Argument->getType()->isPointerTy(); });
}

Verdict call(CallInst &Call, const SiteOptions &Options) {
  if (Call.isInlineAsm())
    return skip(SkipReason::Untraceable, "inline assembly");
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return skip(SkipReason::Untraceable, "indirect call");
  if (Callee->getName() == "printf")
    return skip(SkipReason::Printf);
  if (Callee->getName().startswith(HardwarePrefix))
    return hardwareCall(Call, Callee->getName(), Options);
  // Everything else was inlined.
  if (!Callee->isDeclaration())
    return skip(SkipReason::Untraceable,
                "call of the recursive function " + demangle(Callee->getName().str()));
  const bool MayAccess = takesPointer(Call) && Call.mayReadOrWriteMemory() &&
                         !isa<DbgInfoIntrinsic>(Call) && !Call.isLifetimeStartOrEnd();
  if (Optional<BuiltinName> Name = calledBuiltin(Call)) {
    Verdict Result = builtinCall(Call, *Name, Options);
    // get_image_width and its relatives read a descriptor, not memory.
    if (Result.Reason != SkipReason::NoAccess || !MayAccess || Name->Base.startswith("get_image"))
      return Result;
    return skip(SkipReason::Untraceable, "access inside the built-in " + Name->Base);
  }
  if (std::string What = untraceableBuiltin(Callee->getName()); !What.empty())
    return skip(SkipReason::Untraceable, What);
  if (!MayAccess)
    return skip(SkipReason::NoAccess);
  return skip(SkipReason::Untraceable,
              (isa<IntrinsicInst>(Call) ? "intrinsic " : "call of the external function ") +
                  Callee->getName());
}

// Atomics are never cached in L1 and never removed: `volatile` says nothing more about them.
Verdict compareExchange(AtomicCmpXchgInst &Exchange, const SiteOptions &Options) {
  Site Found;
  Found.Inst = &Exchange;
  Found.Address = Exchange.getPointerOperand();
  Found.Kind = AccessKind::Atomic;
  Found.Operation = "cmpxchg";
  return access(std::move(Found), Exchange.getNewValOperand()->getType(), Options);
}

Verdict readModifyWrite(AtomicRMWInst &Rmw, const SiteOptions &Options) {
  Site Found;
  Found.Inst = &Rmw;
  Found.Address = Rmw.getPointerOperand();
  Found.Kind = AccessKind::Atomic;
  Found.Operation = AtomicRMWInst::getOperationName(Rmw.getOperation()).str();
  return access(std::move(Found), Rmw.getValOperand()->getType(), Options);
}

} // namespace

const char *nameOf(SkipReason Reason) {
  switch (Reason) {
  case SkipReason::None:
    return "recorded";
  case SkipReason::NoAccess:
    return "no access";
  case SkipReason::SpaceExcluded:
    return "address space excluded";
  case SkipReason::KernelParameter:
    return "kernel parameter";
  case SkipReason::Printf:
    return "printf";
  case SkipReason::Untraceable:
    return "untraceable";
  }
  return "";
}

Verdict isInterestingInstruction(Instruction &I, const SiteOptions &Options) {
  Site Found;
  Found.Inst = &I;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Found.Address = Load->getPointerOperand();
    Found.Kind = AccessKind::Load;
    Found.IsVolatile = Load->isVolatile();
    return access(std::move(Found), Load->getType(), Options);
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Found.Address = Store->getPointerOperand();
    Found.Kind = AccessKind::Store;
    Found.IsVolatile = Store->isVolatile();
    return access(std::move(Found), Store->getValueOperand()->getType(), Options);
  }
  if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
    return readModifyWrite(*Rmw, Options);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return compareExchange(*Exchange, Options);
  if (auto *Fence = dyn_cast<FenceInst>(&I))
    return fence(*Fence, Options);
  if (auto *Call = dyn_cast<CallInst>(&I))
    return call(*Call, Options);
  return skip(SkipReason::NoAccess);
}

Optional<warpscope::Meeting> meetingOf(const Instruction &I, uint32_t Position) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  StringRef Name = Callee ? Callee->getName() : "";
  if (!Name.consume_front(HardwarePrefix))
    return None;
  if (Name == "grid_barrier")
    return warpscope::Meeting{Position, 0, /*of_group=*/true};
  // Stores in step are none: a GPU does not promise it.
  if (!Name.startswith("warp_") || Name == "warp_lockstep")
    return None;
  const auto *Mask = dyn_cast<ConstantInt>(Call->getArgOperand(Name == "warp_exchange" ? 2 : 1));
  return warpscope::Meeting{Position, Mask ? Mask->getZExtValue() : 0, false};
}

bool isReadOnlyLoad(const Site &Found) {
  if (!isa<LoadInst>(Found.Inst) || Found.IsVolatile)
    return false;
  if (isMarkedReadOnly(*Found.Inst))
    return true;
  if (Found.Space != warpscope::AddressSpace::Global)
    return false;
  SmallVector<const Value *, 4> Origins;
  getUnderlyingObjects(Found.Address, Origins);
  return all_of(Origins, [](const Value *Origin) {
    const auto *Parameter = dyn_cast<Argument>(Origin);
    return Parameter && Parameter->hasNoAliasAttr() && Parameter->onlyReadsMemory();
  });
}

} // namespace wspasses
