//===- CudaToSpir.cpp - what concerns the module as a whole -----------------===//
#include "passes/cuda/CudaToSpir.h"

#include "passes/cuda/CudaVariables.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/SourceLines.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace wspasses {

namespace {

/// How the headers mark OpenCL's built-ins.
constexpr const char *AssumeAttribute = "llvm.assume";
constexpr const char *BuiltinAssumption = "warpscope_builtin";

/// The host may ask for the value, whether kernels use the variable or not.
bool hasValueForHost(const GlobalVariable &G) {
  return !G.isDeclaration() && !G.getInitializer()->isNullValue() &&
         roleOf(G) == VariableRole::Argument;
}

/// No other module will ever be linked, and kernels are found by name.
void internalise(Module &M) {
  for (StringRef Name : {"llvm.compiler.used", "llvm.used", "llvm.global.annotations"})
    if (GlobalVariable *List = M.getNamedGlobal(Name))
      List->eraseFromParent();
  for (GlobalObject &Object : M.global_objects()) {
    Object.setComdat(nullptr);
    Object.setVisibility(GlobalValue::DefaultVisibility);
    Object.setDSOLocal(false);
    const auto *F = dyn_cast<Function>(&Object);
    const bool KeepsLinkage =
        F ? F->getCallingConv() == CallingConv::SPIR_KERNEL ||
                F->getName().startswith(HardwarePrefix)
          : Object.getSection() == ManagedSection || // until the host's side is described
                hasValueForHost(cast<GlobalVariable>(Object));
    if (!Object.isDeclaration() && !KeepsLinkage)
      Object.setLinkage(GlobalValue::InternalLinkage);
    if (F && !Object.isDeclaration() && KeepsLinkage)
      Object.setLinkage(GlobalValue::ExternalLinkage);
    if (auto *Variable = dyn_cast<GlobalVariable>(&Object))
      Variable->setExternallyInitialized(false);
  }
}

/// OpenCL's name of a function of C's math library or of one of LLVM's intrinsics for it; the
/// standard library's constexpr functions call these.
StringRef openClMathName(StringRef Name, bool IsFloat) {
  if (IsFloat && !Name.consume_back("f"))
    return "";
  return StringSwitch<StringRef>(Name)
      .Cases("acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "erf", Name)
      .Cases("exp", "exp2", "expm1", "fabs", "floor", "fmod", "hypot", "log", "log10", Name)
      .Cases("log1p", "log2", "pow", "rint", "round", "sin", "sinh", "sqrt", "tan", Name)
      .Cases("tanh", "trunc", "fmax", "fmin", "fma", "copysign", "tgamma", "lgamma", "fdim", Name)
      .Default("");
}

StringRef openClMathName(const Function &F) {
  switch (F.getIntrinsicID()) {
  case Intrinsic::sqrt:
    return "sqrt";
  case Intrinsic::sin:
    return "sin";
  case Intrinsic::cos:
    return "cos";
  case Intrinsic::pow:
    return "pow";
  case Intrinsic::exp:
    return "exp";
  case Intrinsic::exp2:
    return "exp2";
  case Intrinsic::log:
    return "log";
  case Intrinsic::log2:
    return "log2";
  case Intrinsic::log10:
    return "log10";
  case Intrinsic::not_intrinsic:
    return openClMathName(F.getName(), F.getReturnType()->isFloatTy());
  default:
    return "";
  }
}

void useOpenClMath(Module &M) {
  SmallVector<std::pair<Function *, std::string>, 8> Renamed;
  for (Function &F : M) {
    Type *T = F.getReturnType();
    if (!F.isDeclaration() || !(T->isFloatTy() || T->isDoubleTy()) || F.arg_empty() ||
        !all_of(F.getFunctionType()->params(), [&](Type *P) { return P == T; }))
      continue;
    if (StringRef Name = openClMathName(F); !Name.empty())
      Renamed.push_back({&F, ("_Z" + Twine(Name.size()) + Name +
                              std::string(F.arg_size(), T->isFloatTy() ? 'f' : 'd'))
                                 .str()});
  }
  for (auto &[F, Name] : Renamed) {
    Function *BuiltIn = declareBuiltin(M, Name, F->getFunctionType(), /*ReadNone=*/true);
    BuiltIn->addFnAttr(AssumeAttribute, BuiltinAssumption);
    for (User *U : make_early_inc_range(F->users()))
      if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledFunction() == F) {
        Call->setCalledFunction(BuiltIn);
        Call->setCallingConv(CallingConv::SPIR_FUNC);
      }
  }
}

/// PoCL's printf takes a format in constant memory, and finds it only there.
void usePrintfWithConstantFormat(Module &M) {
  Function *Old = M.getFunction("printf");
  if (!Old)
    return;
  Old->setName("");
  auto *FormatType = Type::getInt8PtrTy(M.getContext(), ConstantSpace);
  auto *Signature = FunctionType::get(Type::getInt32Ty(M.getContext()), {FormatType}, true);
  Function *New = declareBuiltin(M, "printf", Signature, /*ReadNone=*/false);
  for (User *U : make_early_inc_range(Old->users())) {
    auto *Call = dyn_cast<CallInst>(U);
    StringRef Text;
    if (!Call)
      continue;
    if (getConstantStringInfo(Call->getArgOperand(0), Text)) {
      Constant *Content = ConstantDataArray::getString(M.getContext(), Text);
      auto *Format = new GlobalVariable(M, Content->getType(), /*isConstant=*/true,
                                        GlobalValue::InternalLinkage, Content, "format", nullptr,
                                        GlobalVariable::NotThreadLocal, ConstantSpace);
      IRBuilder<> Builder(Call);
      SmallVector<Value *, 4> Arguments(Call->args());
      Arguments[0] = Builder.CreateBitCast(Format, FormatType);
      CallInst *Print = Builder.CreateCall(New, Arguments);
      Print->setCallingConv(CallingConv::SPIR_FUNC);
      Call->replaceAllUsesWith(Print);
    } else {
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    }
    Call->eraseFromParent();
  }
  Old->eraseFromParent();
}

/// A failing assertion touches nothing that the kernel can see: what was loaded before it stays
/// known.
void describeDeviceCalls(Module &M) {
  if (Function *Assertion = M.getFunction(AssertionFunction))
    Assertion->setOnlyAccessesInaccessibleMemory();
}

/// assert(x && "text") compares the text's address with null, and no pass folds that through the
/// generic address space.
void foldAddressesOfVariables(Function &F) {
  for (Instruction &I : instructions(F))
    for (Use &Operand : I.operands()) {
      auto *Compare = dyn_cast<ConstantExpr>(Operand);
      if (!Compare || Compare->getOpcode() != Instruction::ICmp ||
          !Compare->getOperand(1)->isNullValue())
        continue;
      const auto *Variable =
          dyn_cast<GlobalVariable>(Compare->getOperand(0)->stripInBoundsOffsets());
      if (Variable && !Variable->hasExternalWeakLinkage() &&
          ICmpInst::isEquality(ICmpInst::Predicate(Compare->getPredicate())))
        Operand.set(
            ConstantInt::getBool(F.getContext(), Compare->getPredicate() == ICmpInst::ICMP_NE));
    }
}

/// What the headers declare is a built-in (attributes.h); any other function without a body is in
/// another file.
void nameMissingFunctions(Module &M) {
  SmallVector<Function *, 8> Missing;
  for (Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic() && !F.getName().startswith(HardwarePrefix) &&
        F.getName() != "printf" &&
        !F.getFnAttribute(AssumeAttribute).getValueAsString().contains(BuiltinAssumption))
      Missing.push_back(&F);
  for (Function *F : Missing)
    if (!F->use_empty())
      F->setName(CannotPrefix + demangle(F->getName().str()) + ", not defined in this file");
}

void markLoadsThrough(Value &Pointer) {
  for (User *U : Pointer.users())
    if (auto *Load = dyn_cast<LoadInst>(U))
      Load->setMetadata(ReadOnlyMetadata, MDNode::get(Load->getContext(), {}));
    else if (isa<CastInst, GEPOperator>(U))
      markLoadsThrough(*U);
}

/// Loads of __ldg() get their metadata, and nothing else is left of ReadOnlyFunction.
void markReadOnlyLoads(Module &M) {
  Function *F = M.getFunction(ReadOnlyFunction);
  if (!F)
    return;
  for (User *U : make_early_inc_range(F->users())) {
    auto &Call = *cast<CallInst>(U);
    markLoadsThrough(Call);
    Call.replaceAllUsesWith(Call.getArgOperand(0));
    Call.eraseFromParent();
  }
  F->eraseFromParent();
}

} // namespace

PreservedAnalyses CudaToSpirPass::run(Module &M, ModuleAnalysisManager &) {
  M.setTargetTriple(SpirTriple);
  markReadOnlyLoads(M);
  internalise(M);
  markUntimedKernels(M);
  useOpenClMath(M);
  replaceCallsThroughPointers(M);
  nameMissingFunctions(M);
  usePrintfWithConstantFormat(M);
  describeDeviceCalls(M);
  for (Function &F : M)
    foldAddressesOfVariables(F);
  return PreservedAnalyses::none();
}

static bool isImpossible(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (Call.isInlineAsm() || !Callee)
    return true;
  const StringRef Name = Callee->getName();
  return Name.startswith(CannotPrefix) ||
         (!Callee->isDeclaration() && !Name.startswith(HardwarePrefix)); // recursive
}

void dropImpossibleCalls(Module &M) {
  SmallVector<CallInst *, 8> Calls;
  bool IsCuda = false;
  for (Function &F : M) {
    if (!F.hasFnAttribute(DisplayNameAttribute))
      continue;
    IsCuda = true;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && isImpossible(*Call))
        Calls.push_back(Call);
  }
  for (CallInst *Call : Calls) {
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
  for (Function &F : make_early_inc_range(M)) {
    const bool IsRest = F.getName().startswith(CannotPrefix) ||
                        (IsCuda && F.hasLocalLinkage() && !F.isDeclaration());
    if (IsRest && all_of(F.users(), [&](const User *U) {
          const auto *I = dyn_cast<Instruction>(U);
          return I && I->getFunction() == &F;
        })) {
      F.replaceAllUsesWith(UndefValue::get(F.getType()));
      F.eraseFromParent();
    }
  }
}

PreservedAnalyses CudaParameterPointersPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<LoadInst *, 8> Pointers;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->getType()->isPointerTy() ||
        Load->getType()->getPointerAddressSpace() != GenericSpace)
      continue;
    const auto *Parameter = dyn_cast<Argument>(getUnderlyingObject(Load->getPointerOperand()));
    if (Parameter && Parameter->hasByValAttr())
      Pointers.push_back(Load);
  }
  for (LoadInst *Load : Pointers) {
    IRBuilder<> Builder(Load->getNextNode());
    auto *Generic = cast<PointerType>(Load->getType());
    Value *Global = Builder.CreateAddrSpaceCast(
        Load, PointerType::getWithSamePointeeType(Generic, GlobalSpace));
    Value *Back = Builder.CreateAddrSpaceCast(Global, Generic);
    Load->replaceUsesWithIf(Back, [&](Use &U) { return U.getUser() != Global; });
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses CudaVolatilePass::run(Function &F, FunctionAnalysisManager &) {
  for (Instruction &I : instructions(F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!(Load && Load->isVolatile()) && !(Store && Store->isVolatile()))
      continue;
    Use &Address = I.getOperandUse(Load ? LoadInst::getPointerOperandIndex()
                                        : StoreInst::getPointerOperandIndex());
    if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Address);
        Cast && Cast->getDestAddressSpace() == GenericSpace)
      Address.set(Cast->getPointerOperand());
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
