//===- Stacks.cpp - a kernel's stacks, and what a push does ----------------===//
#include "passes/recursion/Recursion.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/recursion/Texts.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned KernelOperand = 2; ///< operand of PushFunction
constexpr unsigned Texts = 3;

bool calls(const Value &V, StringRef Name) {
  const auto *Call = dyn_cast<CallInst>(&V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name;
}

Value *query(IRBuilder<> &Builder, StringRef Mangled, unsigned Dimension) {
  auto *Signature = FunctionType::get(Builder.getInt64Ty(), {Builder.getInt32Ty()}, false);
  Module &M = *Builder.GetInsertBlock()->getModule();
  CallInst *Call = Builder.CreateCall(declareBuiltin(M, Mangled, Signature, /*ReadNone=*/true),
                                      {Builder.getInt32(Dimension)});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  return Builder.CreateTrunc(Call, Builder.getInt32Ty());
}

Value *idOf(IRBuilder<> &Builder, unsigned Dimension) {
  return query(Builder, "_Z12get_local_idj", Dimension);
}

Value *sizeOf(IRBuilder<> &Builder, unsigned Dimension) {
  return query(Builder, "_Z14get_local_sizej", Dimension);
}

void placeAtEntry(Function &Kernel, ArrayRef<CallInst *> Stacks) {
  BasicBlock &Entry = Kernel.getEntryBlock();
  auto Position = Entry.getFirstInsertionPt();
  while (isa<AllocaInst>(Position))
    ++Position;
  IRBuilder<> Builder(&Entry, Position);
  Value *Rows =
      Builder.CreateAdd(idOf(Builder, 1), Builder.CreateMul(sizeOf(Builder, 1), idOf(Builder, 2)));
  Value *Item = Builder.CreateAdd(idOf(Builder, 0), Builder.CreateMul(sizeOf(Builder, 0), Rows));
  Value *Items = Builder.CreateMul(Builder.CreateMul(sizeOf(Builder, 0), sizeOf(Builder, 1)),
                                   sizeOf(Builder, 2));
  for (unsigned I = 0; I < Stacks.size(); ++I) {
    Function *Memory = Stacks[I]->getCalledFunction();
    const std::string Name = Stacks[I]->getName().split('.').first.str();
    CallInst *New = Builder.CreateCall(
        Memory, {Builder.getInt32(I), Builder.getInt32(Stacks.size()), Item, Items});
    New->setCallingConv(CallingConv::SPIR_FUNC);
    Stacks[I]->replaceAllUsesWith(New);
    Stacks[I]->eraseFromParent();
    New->setName(Name + "."); // LLVM makes names of several differ behind the dot
  }
}

void lowerPush(CallInst &Push, FunctionCallee Overflow) {
  IRBuilder<> Builder(&Push);
  Value *Fits = Builder.CreateICmpULE(Push.getArgOperand(0), Push.getArgOperand(1));
  Instruction *Then =
      SplitBlockAndInsertIfThen(Builder.CreateNot(Fits), &Push, /*Unreachable=*/false);
  Builder.SetInsertPoint(Then);
  SmallVector<Value *, 9> Arguments;
  for (unsigned I = 0; I < Texts; ++I)
    Arguments.push_back(Push.getArgOperand(KernelOperand + I));
  for (const char *Name : {"_Z12get_group_idj", "_Z12get_local_idj"})
    for (unsigned D = 0; D < 3; ++D)
      Arguments.push_back(query(Builder, Name, D));
  Builder.CreateCall(Overflow, Arguments)->setCallingConv(CallingConv::SPIR_FUNC);
  Push.eraseFromParent();
}

} // namespace

Constant *textConstant(Module &M, StringRef Text) {
  Constant *Content = ConstantDataArray::getString(M.getContext(), Text);
  auto *Variable =
      new GlobalVariable(M, Content->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                         Content, "text", nullptr, GlobalVariable::NotThreadLocal, ConstantSpace);
  return ConstantExpr::getBitCast(Variable, Type::getInt8PtrTy(M.getContext(), ConstantSpace));
}

bool isStack(const Value &V) { return calls(V, StackFunction); }

bool hasStack(const Function &Kernel) {
  return any_of(instructions(Kernel), [](const Instruction &I) { return isStack(I); });
}

void giveStacks(Function &Kernel, StringRef Name) {
  SmallVector<CallInst *, 4> Stacks, Pushes;
  for (Instruction &I : instructions(Kernel))
    if (isStack(I))
      Stacks.push_back(cast<CallInst>(&I));
    else if (calls(I, PushFunction))
      Pushes.push_back(cast<CallInst>(&I));
  if (!Stacks.empty())
    placeAtEntry(Kernel, Stacks);
  if (Pushes.empty())
    return;
  Constant *Text = textConstant(*Kernel.getParent(), Name);
  for (CallInst *Push : Pushes)
    Push->setArgOperand(KernelOperand, Text);
}

void lowerPushes(Module &M) {
  Function *Push = M.getFunction(PushFunction);
  if (!Push)
    return;
  Type *Int = Type::getInt32Ty(M.getContext());
  Type *Text = Type::getInt8PtrTy(M.getContext(), ConstantSpace);
  FunctionCallee Overflow = M.getOrInsertFunction(
      StackOverflowFunction,
      FunctionType::get(Type::getVoidTy(M.getContext()),
                        {Text, Text, Text, Int, Int, Int, Int, Int, Int}, false));
  cast<Function>(Overflow.getCallee())->setCallingConv(CallingConv::SPIR_FUNC);
  for (User *U : make_early_inc_range(Push->users()))
    lowerPush(*cast<CallInst>(U), Overflow);
  Push->eraseFromParent();
}

} // namespace wspasses
