//===- Prologue.cpp ---------------------------------------------------------===//
#include "passes/record/Prologue.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/record/Affine.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace wspasses {

namespace {

bool isLocal(const Value &V) {
  const auto *Variable = dyn_cast<GlobalVariable>(&V);
  return Variable && Variable->getAddressSpace() == LocalSpace;
}

/// The local memory that a constant names.
void addLocals(Value &V, SetVector<Value *> &Locals) {
  if (isLocal(V))
    Locals.insert(&V);
  else if (auto *Expression = dyn_cast<ConstantExpr>(&V))
    for (const Use &U : Expression->operands())
      addLocals(*U, Locals);
}

/// Constants that name local memory become instructions, whose operands can be replaced.
void expandConstants(Function &F) {
  SetVector<Instruction *> Work;
  for (Instruction &I : instructions(F))
    Work.insert(&I);
  while (!Work.empty()) {
    Instruction *const I = Work.pop_back_val();
    MapVector<std::pair<BasicBlock *, ConstantExpr *>, Instruction *> Expanded;
    for (Use &U : I->operands()) {
      SetVector<Value *> Named;
      addLocals(*U, Named);
      auto *const Expression = dyn_cast<ConstantExpr>(U);
      if (!Expression || Named.empty())
        continue;
      auto *const Phi = dyn_cast<PHINode>(I);
      BasicBlock *const Block = Phi ? Phi->getIncomingBlock(U) : I->getParent();
      Instruction *&New = Expanded[{Block, Expression}];
      if (!New) {
        New = Expression->getAsInstruction(Phi ? Block->getTerminator() : I);
        Work.insert(New);
      }
      U.set(New);
    }
  }
}

/// Values of the kernel that the function gets as arguments.
class Given {
public:
  explicit Given(Function &Skeleton) {
    for (Instruction &I : instructions(Skeleton)) {
      if (workItemValueOf(I) != WorkItemValue::None)
        Questions.insert({keyOf(I), &I});
      for (const Use &U : I.operands())
        addLocals(*U, Locals);
    }
  }

  SmallVector<Type *, 16> types() const {
    SmallVector<Type *, 16> Types;
    for (const auto &[Key, Question] : Questions)
      Types.push_back(Question->getType());
    for (const Value *Local : Locals)
      Types.push_back(Local->getType());
    return Types;
  }

  /// In the kernel.
  SmallVector<Value *, 16> values(IRBuilder<> &Builder) const {
    SmallVector<Value *, 16> Values;
    for (const auto &[Key, Question] : Questions)
      Values.push_back(Builder.Insert(Question->clone()));
    append_range(Values, Locals);
    return Values;
  }

  /// Uses of what was copied from the skeleton; `First` is the number of the first argument.
  void replaceIn(Function &F, unsigned First) const {
    SmallVector<Instruction *, 16> Answered;
    for (Instruction &I : instructions(F)) {
      if (workItemValueOf(I) != WorkItemValue::None) {
        const auto At = Questions.find(keyOf(I)) - Questions.begin();
        I.replaceAllUsesWith(F.getArg(First + At));
        Answered.push_back(&I);
      }
      for (Use &U : I.operands())
        if (isLocal(*U))
          U.set(F.getArg(First + Questions.size() + (find(Locals, U.get()) - Locals.begin())));
    }
    for (Instruction *I : Answered)
      I->eraseFromParent();
  }

private:
  /// The function and the dimension.
  using Key = std::pair<const Value *, const Value *>;
  static Key keyOf(const Instruction &I) {
    const auto &Call = cast<CallInst>(I);
    return {Call.getCalledOperand(), Call.arg_empty() ? nullptr : Call.getArgOperand(0)};
  }

  MapVector<Key, const Instruction *> Questions;
  SetVector<Value *> Locals;
};

/// 16 bits per dimension in one number.
void addUnpacked(IRBuilder<> &Builder, Value *Packed, SmallVectorImpl<Value *> &Arguments) {
  for (unsigned D = 0; D < 3; ++D)
    Arguments.push_back(Builder.CreateAnd(Builder.CreateLShr(Packed, 16 * D), 0xffff));
}

/// The loop; returns the call of the skeleton.
CallInst *makeLoop(Function &Prologue, unsigned Arguments, Function &Skeleton,
                   const RuntimeCalls &Calls) {
  LLVMContext &Context = Prologue.getContext();
  BasicBlock *const Next = BasicBlock::Create(Context, "next", &Prologue);
  BasicBlock *const One = BasicBlock::Create(Context, "box", &Prologue);
  BasicBlock *const End = BasicBlock::Create(Context, "end", &Prologue);
  IRBuilder<> Builder(BasicBlock::Create(Context, "entry", &Prologue, Next));
  Builder.CreateBr(Next);
  Builder.SetInsertPoint(Next);
  Value *const Origin = Calls.call(Builder, NextBoxSlot, {}, Builder.getInt64Ty());
  Builder.CreateCondBr(Builder.CreateICmpEQ(Origin, Builder.getInt64(~uint64_t{0})), End, One);
  Builder.SetInsertPoint(One);
  SmallVector<Value *, 16> Given;
  for (unsigned Index = 0; Index < Arguments; ++Index)
    Given.push_back(Prologue.getArg(Index));
  addUnpacked(Builder, Origin, Given);
  addUnpacked(Builder, Calls.call(Builder, BoxReachSlot, {}, Builder.getInt64Ty()), Given);
  CallInst *const Result = Builder.CreateCall(&Skeleton, Given);
  Result->setCallingConv(Skeleton.getCallingConv());
  Calls.call(Builder, EndBoxSlot, {Result});
  Builder.CreateBr(Next);
  ReturnInst::Create(Context, End);
  return Result;
}

} // namespace

void callPrologue(IRBuilder<> &Builder, Function &Kernel, Function &Skeleton,
                  const RuntimeCalls &Calls) {
  const Given Others(Skeleton);
  SmallVector<Type *, 16> Types;
  SmallVector<Value *, 16> Arguments;
  for (Argument &A : Kernel.args()) {
    Types.push_back(A.getType());
    Arguments.push_back(&A);
  }
  append_range(Types, Others.types());
  append_range(Arguments, Others.values(Builder));
  auto *const Signature = FunctionType::get(Builder.getVoidTy(), Types, false);
  Function *const Prologue = Function::Create(Signature, GlobalValue::InternalLinkage,
                                              Kernel.getName() + ".prologue", Kernel.getParent());
  Prologue->setCallingConv(CallingConv::SPIR_FUNC);
  Prologue->addFnAttr(Attribute::NoInline);
  CallInst *const Inner = makeLoop(*Prologue, Kernel.arg_size(), Skeleton, Calls);
  InlineFunctionInfo Info;
  InlineFunction(*Inner, Info);
  expandConstants(*Prologue);
  Others.replaceIn(*Prologue, Kernel.arg_size());
  Skeleton.eraseFromParent();
  CallInst *const Call = Builder.CreateCall(Prologue, Arguments);
  Call->setCallingConv(CallingConv::SPIR_FUNC);
}

} // namespace wspasses
