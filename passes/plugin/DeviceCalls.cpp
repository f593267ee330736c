//===- DeviceCalls.cpp - what device code asks the host for ------------------===//
#include "passes/plugin/DeviceCalls.h"

#include "passes/RuntimeABI.h"
#include "passes/StackABI.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/recursion/Recursion.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Names behind DeviceCallPrefix, in the order of WarpscopeDeviceV1 and WarpscopeStacksV1.
constexpr const char *Slots[] = {"assertion", "allocate", "release", "trap_at", "failed_assertion"};
constexpr const char *StackSlots[] = {"stack", "stack_bytes", "stack_overflow"};
static_assert(sizeof(WarpscopeDeviceV1) == sizeof(Slots));
static_assert(sizeof(WarpscopeStacksV1) == sizeof(StackSlots));

/// The host's pointers have no address space; as a number, any of the device's is one of them.
Value *forHost(IRBuilder<> &Builder, Value *Argument) {
  return Argument->getType()->isPointerTy() ? Builder.CreatePtrToInt(Argument, Builder.getInt64Ty())
                                            : Argument;
}

void callSlot(GlobalVariable &Table, unsigned Slot, CallInst &Call) {
  IRBuilder<> Builder(&Call);
  SmallVector<Value *, 10> Arguments;
  SmallVector<Type *, 10> Types;
  for (Value *Argument : Call.args()) {
    Arguments.push_back(forHost(Builder, Argument));
    Types.push_back(Arguments.back()->getType());
  }
  auto *Signature = FunctionType::get(Call.getType(), Types, false);
  Type *TableType = Table.getValueType();
  Value *Target =
      Builder.CreateLoad(TableType->getArrayElementType(),
                         Builder.CreateConstInBoundsGEP2_64(TableType, &Table, 0, Slot));
  CallInst *New = Builder.CreateCall(
      Signature, Builder.CreateBitCast(Target, Signature->getPointerTo()), Arguments);
  New->setDoesNotThrow();
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void callTable(Module &M, StringRef Symbol, ArrayRef<const char *> Names) {
  GlobalVariable *Table = nullptr;
  for (unsigned Slot = 0; Slot < Names.size(); ++Slot) {
    Function *Callee = M.getFunction((Twine(DeviceCallPrefix) + Names[Slot]).str());
    if (!Callee)
      continue;
    if (!Table)
      Table = new GlobalVariable(
          M, ArrayType::get(Type::getInt8PtrTy(M.getContext()), Names.size()),
          /*isConstant=*/false, GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
    for (User *U : make_early_inc_range(Callee->users()))
      callSlot(*Table, Slot, *cast<CallInst>(U));
    Callee->eraseFromParent();
  }
}

} // namespace

void callDeviceTable(Module &M) {
  lowerPushes(M);
  callTable(M, WARPSCOPE_DEVICE_SYMBOL, Slots);
  callTable(M, WARPSCOPE_STACKS_SYMBOL, StackSlots);
}

} // namespace wspasses
