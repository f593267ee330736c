//===- CudaCalls.cpp - calls through pointers -------------------------------===//
//
// A function whose address is taken gets a number, and its address is that number wherever it is
// kept: in variables, in tables of virtual functions, on the host. A call through a pointer becomes
// a choice among the functions that it can mean, so that all of them are inlined like others.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"

#include "passes/cuda/CudaVariables.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace wspasses {

namespace {

/// The same in every file of a program, so that a pointer from another one calls nothing wrong.
uint64_t numberOf(const Function &F) { return xxHash64(F.getName()) | 1; }

bool mayBeCalledThroughPointer(const Function &F) {
  return !F.isIntrinsic() && F.getCallingConv() != CallingConv::SPIR_KERNEL && F.hasAddressTaken();
}

/// Afterwards only direct calls use the function.
void replaceAddress(Function &F) {
  SmallVector<CallBase *, 8> Direct;
  for (Use &U : F.uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isCallee(&U))
      Direct.push_back(Call);
  for (CallBase *Call : Direct)
    Call->setCalledOperand(UndefValue::get(F.getType()));
  auto *Number = ConstantInt::get(Type::getInt64Ty(F.getContext()), numberOf(F));
  F.replaceAllUsesWith(ConstantExpr::getIntToPtr(Number, F.getType()));
  for (CallBase *Call : Direct)
    Call->setCalledOperand(&F);
}

/// What a pointer points to says little: `this` of a virtual function is the derived class there.
bool areAlike(const Type *A, const Type *B) {
  if (A->isPointerTy() && B->isPointerTy())
    return A->getPointerAddressSpace() == B->getPointerAddressSpace();
  return A == B;
}

/// Where a virtual function is among those of its class; others have no place.
using Places = DenseMap<const Function *, SmallVector<uint64_t, 2>>;

/// A class's table has numbers and what describes the class in front of the functions.
void addPlaces(const Constant &Table, Places &Found) {
  Optional<uint64_t> First;
  for (unsigned I = 0; I < Table.getNumOperands(); ++I) {
    const auto *F = dyn_cast<Function>(Table.getOperand(I)->stripPointerCasts());
    if (!F)
      continue;
    if (!First)
      First = I;
    Found[F].push_back(I - *First);
  }
}

Places placesOfVirtualFunctions(const Module &M) {
  Places Found;
  for (const GlobalVariable &G : M.globals())
    if (isTableOfVirtualFunctions(G) && G.hasInitializer())
      for (const Use &Table : G.getInitializer()->operands())
        addPlaces(*cast<Constant>(Table), Found);
  return Found;
}

/// The load of a virtual function's address; Clang takes tables of them for private memory.
LoadInst *loadOfVirtualFunction(const CallInst &Call) {
  auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Load || Load->getPointerAddressSpace() != PrivateSpace ||
      !isa<LoadInst, Constant>(getUnderlyingObject(Load->getPointerOperand())))
    return nullptr;
  return Load;
}

/// Which of its class's functions a virtual call is for.
Optional<uint64_t> placeOf(const CallInst &Call) {
  LoadInst *Load = loadOfVirtualFunction(Call);
  if (!Load)
    return None;
  const DataLayout &Layout = Call.getModule()->getDataLayout();
  int64_t Offset = 0;
  const Value *Table = GetPointerBaseWithConstantOffset(Load->getPointerOperand(), Offset, Layout);
  if (!isa<LoadInst>(Table) || Offset < 0)
    return None;
  return uint64_t(Offset) / Layout.getPointerSize(PrivateSpace);
}

bool canMean(const CallInst &Call, const Function &F, const Places &Virtual) {
  const FunctionType &Called = *Call.getFunctionType(), &Type = *F.getFunctionType();
  if (const Optional<uint64_t> Place = placeOf(Call))
    if (const auto Of = Virtual.find(&F); Of == Virtual.end() || !is_contained(Of->second, *Place))
      return false;
  return !Called.isVarArg() && !Type.isVarArg() &&
         areAlike(Called.getReturnType(), Type.getReturnType()) &&
         std::equal(Called.param_begin(), Called.param_end(), Type.param_begin(), Type.param_end(),
                    areAlike);
}

/// The call again, of this function.
CallInst *callDirectly(CallInst &Call, Function &F, IRBuilder<> &Builder) {
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : F.args())
    Arguments.push_back(Builder.CreateBitCast(Call.getArgOperand(A.getArgNo()), A.getType()));
  CallInst *New = Builder.CreateCall(&F, Arguments);
  New->setCallingConv(F.getCallingConv());
  New->setAttributes(F.getAttributes());
  New->removeFnAttr(Attribute::OptimizeNone);
  return New;
}

void loadFromGlobalMemory(LoadInst &Load) {
  IRBuilder<> Builder(&Load);
  Value *Address = Builder.CreatePtrToInt(Load.getPointerOperand(), Builder.getInt64Ty());
  Load.setOperand(LoadInst::getPointerOperandIndex(),
                  Builder.CreateIntToPtr(Address, Load.getType()->getPointerTo(GlobalSpace)));
}

/// A pointer that is none of these functions (null, say) ends the kernel, as a GPU would.
void chooseAmong(CallInst &Call, ArrayRef<Function *> Functions) {
  BasicBlock *Before = Call.getParent();
  BasicBlock *After = SplitBlock(Before, &Call);
  LLVMContext &Context = Call.getContext();
  auto *Trap = BasicBlock::Create(Context, "no_function", Before->getParent(), After);
  IRBuilder<> Builder(Trap);
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Builder.CreateIntrinsic(Intrinsic::trap, {}, {});
  Builder.CreateUnreachable();
  Before->getTerminator()->eraseFromParent();
  Builder.SetInsertPoint(Before);
  Value *Number = Builder.CreatePtrToInt(Call.getCalledOperand(), Builder.getInt64Ty());
  SwitchInst *Switch = Builder.CreateSwitch(Number, Trap, Functions.size());
  PHINode *Result = nullptr;
  if (!Call.getType()->isVoidTy())
    Result = PHINode::Create(Call.getType(), Functions.size(), "", &After->front());
  for (Function *F : Functions) {
    auto *Block = BasicBlock::Create(Context, "", Before->getParent(), After);
    Switch->addCase(Builder.getInt64(numberOf(*F)), Block);
    Builder.SetInsertPoint(Block);
    Value *Returned = callDirectly(Call, *F, Builder);
    if (Result)
      Result->addIncoming(Builder.CreateBitCast(Returned, Call.getType()), Block);
    Builder.CreateBr(After);
  }
  if (Result)
    Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

void moveTablesToGlobalMemory(Module &M) {
  SmallVector<GlobalVariable *, 8> Tables;
  for (GlobalVariable &G : M.globals())
    if (isTableOfVirtualFunctions(G) && G.getAddressSpace() == PrivateSpace)
      Tables.push_back(&G);
  for (GlobalVariable *Old : Tables) {
    auto *New = new GlobalVariable(M, Old->getValueType(), Old->isConstant(), Old->getLinkage(),
                                   Old->hasInitializer() ? Old->getInitializer() : nullptr, "", Old,
                                   GlobalVariable::NotThreadLocal, GlobalSpace);
    New->takeName(Old);
    New->setAlignment(Old->getAlign());
    Constant *Address = ConstantExpr::getPtrToInt(New, Type::getInt64Ty(M.getContext()));
    Old->replaceAllUsesWith(ConstantExpr::getIntToPtr(Address, Old->getType()));
    Old->eraseFromParent();
  }
}

/// What describes the class at run time is not there: device code has no use for it.
void dropTypeInformation(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (G.getName().startswith("_ZTI") || G.getName().startswith("_ZTS"))
      G.replaceAllUsesWith(Constant::getNullValue(G.getType()));
}

} // namespace

bool isTableOfVirtualFunctions(const GlobalVariable &G) { return G.getName().startswith("_ZTV"); }

void replaceCallsThroughPointers(Module &M) {
  dropTypeInformation(M);
  moveTablesToGlobalMemory(M);
  const Places Virtual = placesOfVirtualFunctions(M);
  SmallVector<Function *, 16> Taken;
  for (Function &F : M)
    if (mayBeCalledThroughPointer(F))
      Taken.push_back(&F);
  for (Function *F : Taken)
    replaceAddress(*F);
  // A function without a body is a pure virtual one, or in another file.
  erase_if(Taken, [](const Function *F) { return F->isDeclaration(); });
  SmallVector<CallInst *, 16> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && !Call->isInlineAsm() && !Call->getCalledFunction())
        Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    SmallVector<Function *, 8> Functions;
    copy_if(Taken, std::back_inserter(Functions),
            [&](const Function *F) { return canMean(*Call, *F, Virtual); });
    if (LoadInst *Load = loadOfVirtualFunction(*Call))
      loadFromGlobalMemory(*Load);
    if (!Functions.empty())
      chooseAmong(*Call, Functions);
  }
}

} // namespace wspasses
