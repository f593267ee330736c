//===- Traps.cpp - traps say where they are -----------------------------------===//
#include "passes/plugin/Traps.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/SourceLines.h"
#include "passes/lower/Traps.h"
#include "passes/record/RuntimeCalls.h"
#include "passes/recursion/Texts.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *NamedTrap = "__warpscope_device_trap_at";

/// void(kernel, place, group x, y, z, local id x, y, z).
FunctionCallee namedTrap(Module &M) {
  Type *Int = Type::getInt32Ty(M.getContext());
  Type *Text = Type::getInt8PtrTy(M.getContext(), ConstantSpace);
  FunctionCallee Result = M.getOrInsertFunction(
      NamedTrap, FunctionType::get(Type::getVoidTy(M.getContext()),
                                   {Text, Text, Int, Int, Int, Int, Int, Int}, false));
  cast<Function>(Result.getCallee())->setCallingConv(CallingConv::SPIR_FUNC);
  return Result;
}

} // namespace

void nameTraps(Module &M) {
  Function *Trap = M.getFunction(TrapFunction);
  if (!Trap)
    return;
  for (User *U : make_early_inc_range(Trap->users())) {
    auto *Call = cast<CallInst>(U);
    IRBuilder<> Builder(Call);
    const Function &Kernel = *Call->getFunction();
    const Attribute Name = Kernel.getFnAttribute(DisplayNameAttribute);
    SmallVector<Value *, 8> Arguments = {
        textConstant(M, Name.isValid() ? Name.getValueAsString() : Kernel.getName()),
        textConstant(M, describeLocation(*Call))};
    for (const char *Query : {"_Z12get_group_idj", "_Z12get_local_idj"})
      for (unsigned D = 0; D < 3; ++D)
        Arguments.push_back(
            Builder.CreateTrunc(queryWorkItem(Builder, Query, D), Builder.getInt32Ty()));
    Builder.CreateCall(namedTrap(M), Arguments)->setCallingConv(CallingConv::SPIR_FUNC);
    Call->eraseFromParent();
  }
  Trap->eraseFromParent();
}

void raiseTraps(Module &M) {
  Function *Trap = M.getFunction(NamedTrap);
  if (!Trap)
    return;
  for (User *U : make_early_inc_range(Trap->users())) {
    auto *Call = cast<CallInst>(U);
    IRBuilder<>(Call).CreateIntrinsic(Intrinsic::trap, {}, {});
    Call->eraseFromParent();
  }
  Trap->eraseFromParent();
}

} // namespace wspasses
