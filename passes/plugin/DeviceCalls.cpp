//===- DeviceCalls.cpp - what device code asks the host for ------------------===//
#include "passes/plugin/DeviceCalls.h"

#include "passes/RuntimeABI.h"
#include "passes/cuda/CudaToSpir.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Names behind DeviceCallPrefix, in the order of WarpscopeDeviceV1.
constexpr const char *Slots[] = {"assertion", "allocate", "release"};
static_assert(sizeof(WarpscopeDeviceV1) == sizeof(Slots));

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

} // namespace

void callDeviceTable(Module &M) {
  GlobalVariable *Table = nullptr;
  for (unsigned Slot = 0; Slot < std::size(Slots); ++Slot) {
    Function *Callee = M.getFunction((Twine(DeviceCallPrefix) + Slots[Slot]).str());
    if (!Callee)
      continue;
    if (!Table)
      Table = new GlobalVariable(
          M, ArrayType::get(Type::getInt8PtrTy(M.getContext()), std::size(Slots)),
          /*isConstant=*/false, GlobalValue::ExternalWeakLinkage, nullptr, WARPSCOPE_DEVICE_SYMBOL);
    for (User *U : make_early_inc_range(Callee->users()))
      callSlot(*Table, Slot, *cast<CallInst>(U));
    Callee->eraseFromParent();
  }
}

} // namespace wspasses
