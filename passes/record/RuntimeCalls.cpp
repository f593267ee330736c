//===- RuntimeCalls.cpp -----------------------------------------------------===//
#include "passes/record/RuntimeCalls.h"

#include "passes/RuntimeABI.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

static_assert(offsetof(WarpscopeAbiV2, leave) == NumSlots * sizeof(void *));

RuntimeCalls::RuntimeCalls(Module &M)
    : Context(M.getContext()), TableType(ArrayType::get(Type::getInt8PtrTy(Context), NumSlots)),
      // PoCL's linker would refuse a declared function; extern_weak is what it leaves alone.
      Table(new GlobalVariable(M, TableType, /*isConstant=*/false, GlobalValue::ExternalWeakLinkage,
                               nullptr, WARPSCOPE_ABI_SYMBOL)) {}

CallInst *RuntimeCalls::call(IRBuilder<> &Builder, Slot Function, ArrayRef<Value *> Arguments,
                             Type *Result) const {
  SmallVector<Type *, 6> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  auto *Signature = FunctionType::get(Result ? Result : Builder.getVoidTy(), Types, false);
  Value *Address = Builder.CreateConstInBoundsGEP2_64(TableType, Table, 0, Function);
  LoadInst *Target = Builder.CreateLoad(TableType->getElementType(), Address);
  // The table never changes, so PoCL's optimiser may load it once per loop.
  Target->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Context, {}));
  CallInst *Call = Builder.CreateCall(
      Signature, Builder.CreateBitCast(Target, Signature->getPointerTo()), Arguments);
  Call->setDoesNotThrow();
  return Call;
}

Value *queryWorkItem(IRBuilder<> &Builder, StringRef Mangled, unsigned Dimension) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  auto *Signature = FunctionType::get(Builder.getInt64Ty(), {Builder.getInt32Ty()}, false);
  CallInst *Call = Builder.CreateCall(declareBuiltin(M, Mangled, Signature, /*ReadNone=*/true),
                                      {Builder.getInt32(Dimension)});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  return Call;
}

Value *outcomeOf(IRBuilder<> &Builder, Instruction &Terminator) {
  if (auto *Branch = dyn_cast<BranchInst>(&Terminator))
    return Builder.CreateZExt(Builder.CreateNot(Branch->getCondition()), Builder.getInt32Ty());
  auto *Switch = dyn_cast<SwitchInst>(&Terminator);
  if (!Switch)
    report_fatal_error("terminator '" + Twine(Terminator.getOpcodeName()) +
                           "' is not part of OpenCL C",
                       /*gen_crash_diag=*/false);
  Value *Outcome = Builder.getInt32(0);
  for (const auto &Case : Switch->cases())
    Outcome =
        Builder.CreateSelect(Builder.CreateICmpEQ(Switch->getCondition(), Case.getCaseValue()),
                             Builder.getInt32(Case.getSuccessorIndex()), Outcome);
  return Outcome;
}

} // namespace wspasses
