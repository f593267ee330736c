//===- CudaToSpir.cpp - what concerns the module as a whole -----------------===//
#include "passes/cuda/CudaToSpir.h"

#include "passes/BuiltinNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *SpirTriple = "spir64-unknown-unknown";

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
    const bool KeepsLinkage = F && (F->getCallingConv() == CallingConv::SPIR_KERNEL ||
                                    F->getName().startswith(HardwarePrefix));
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

} // namespace

PreservedAnalyses CudaToSpirPass::run(Module &M, ModuleAnalysisManager &) {
  M.setTargetTriple(SpirTriple);
  internalise(M);
  useOpenClMath(M);
  usePrintfWithConstantFormat(M);
  return PreservedAnalyses::none();
}

void dropImpossibleCalls(Module &M) {
  for (Function &F : M) {
    if (!F.hasFnAttribute(DisplayNameAttribute))
      continue;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Call || !(Call->isInlineAsm() || (Callee && Callee->getName().startswith(CannotPrefix))))
        continue;
      if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      Call->eraseFromParent();
    }
  }
  for (Function &F : make_early_inc_range(M))
    if (F.getName().startswith(CannotPrefix) && F.use_empty())
      F.eraseFromParent();
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
