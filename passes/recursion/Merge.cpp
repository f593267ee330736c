//===- Merge.cpp - functions that call each other become one ----------------===//
//
//     int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
//
// becomes, with `top` the offset of the running call's frame,
//
//     top = 0;
//   fib:    if (n < 2) { result = n; goto end; }
//           save n; frame(top + 12).place = 0; top += 12; n = n - 1; goto fib;
//   first:  top -= 12; restore n; a = result;
//           save a; frame(top + 12).place = 1; top += 12; n = n - 2; goto fib;
//   second: top -= 12; restore a; result = a + result; goto end;
//   end:    if (top == 0) return result;
//           switch (frame(top).place) { case 0: goto first; case 1: goto second; }
//
//===----------------------------------------------------------------------===//
#include "passes/recursion/Frames.h"
#include "passes/recursion/Recursion.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/lower/SourceLines.h"
#include "passes/recursion/Texts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace wspasses {

namespace {

bool canMove(const Function &F) {
  if (F.isVarArg() || F.getCallingConv() == CallingConv::SPIR_KERNEL)
    return false;
  for (const Instruction &I : instructions(F)) {
    if (const auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Variable->isStaticAlloca())
      return false;
    if (isa<CallBrInst, IndirectBrInst, InvokeInst>(I))
      return false;
  }
  return all_of(F.uses(), [](const Use &U) {
    const auto *Call = dyn_cast<CallInst>(U.getUser());
    return Call && Call->isCallee(&U);
  });
}

class Merger {
public:
  explicit Merger(ArrayRef<Function *> Group)
      : M(*Group.front()->getParent()), Context(M.getContext()), Int(Type::getInt32Ty(Context)) {
    for (Function *F : Group) {
      Number[F] = Members.size();
      Members.emplace_back();
      Members.back().F = F;
    }
  }

  void run() {
    findCalls();
    declare();
    begin();
    for (Member &One : Members) {
      splitCalls(One);
      takeArguments(One);
      makeFrame(One, Frames, *First);
    }
    roundFrames();
    enter();
    for (Member &One : Members)
      Merged->getBasicBlockList().splice(Merged->end(), One.F->getBasicBlockList());
    for (Member &One : Members)
      for (RecursiveCall &Call : One.Calls)
        connect(One, Call);
    connectReturns();
    removeUnreachableBlocks(*Merged);
    DominatorTree Tree(*Merged);
    PromoteMemToReg(Variables, Tree);
    for (CallInst *Call : Outside)
      replace(*Call);
    for (Member &One : Members)
      One.F->eraseFromParent();
  }

private:
  Member *memberOf(const Function *F) {
    const auto Found = Number.find(F);
    return Found == Number.end() ? nullptr : &Members[Found->second];
  }

  void findCalls() {
    size_t Count = 0;
    for (Member &One : Members)
      for (User *U : One.F->users()) {
        auto *Call = cast<CallInst>(U);
        if (Member *Caller = memberOf(Call->getFunction())) {
          Caller->Calls.push_back({Call, nullptr, nullptr});
          ++Count;
        } else {
          Outside.push_back(Call);
          FirstParameter.insert({One.F, 0});
        }
      }
    Frames.HasPlaces = Count > 1;
  }

  /// The arguments of all functions that others call, and which of them it is if there are several.
  void declare() {
    SmallVector<Type *, 8> Types;
    if (FirstParameter.size() > 1)
      Types.push_back(Int);
    for (auto &[F, Index] : FirstParameter) {
      Index = Types.size();
      append_range(Types, F->getFunctionType()->params());
      Type *Result = F->getReturnType();
      if (!Result->isVoidTy() && !is_contained(Results, Result))
        Results.push_back(Result);
    }
    Type *Result = Results.empty()       ? Type::getVoidTy(Context)
                   : Results.size() == 1 ? Results.front()
                                         : StructType::get(Context, Results);
    const Function &Model = *Members.front().F;
    Merged = Function::Create(FunctionType::get(Result, Types, false), GlobalValue::InternalLinkage,
                              Model.getName() + ".recursive", M);
    Merged->setCallingConv(CallingConv::SPIR_FUNC);
    Merged->setAttributes(
        AttributeList::get(Context, Model.getAttributes().getFnAttrs(), AttributeSet(), {}));
    for (Attribute::AttrKind Kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly,
          Attribute::InaccessibleMemOnly, Attribute::InaccessibleMemOrArgMemOnly,
          Attribute::NoInline, Attribute::OptimizeNone, Attribute::Speculatable})
      Merged->removeFnAttr(Kind);
  }

  AllocaInst *variable(Type *T, const Twine &Name) {
    Variables.push_back(IRBuilder<>(First, First->begin()).CreateAlloca(T, nullptr, Name));
    return Variables.back();
  }

  /// What all calls share.
  void begin() {
    First = BasicBlock::Create(Context, "entry", Merged);
    IRBuilder<> Builder(First);
    const Function &Model = *FirstParameter.front().first;
    FunctionCallee Memory =
        M.getOrInsertFunction(StackFunction, Builder.getInt8PtrTy(), Int, Int, Int, Int);
    FunctionCallee Bytes = M.getOrInsertFunction(StackBytesFunction, Int);
    for (FunctionCallee Query : {Memory, Bytes}) {
      auto *F = cast<Function>(Query.getCallee());
      F->setCallingConv(CallingConv::SPIR_FUNC);
      F->setDoesNotAccessMemory();
      F->setDoesNotThrow();
      F->setWillReturn();
    }
    cast<Function>(Memory.getCallee())->addRetAttr(Attribute::NoAlias);
    const auto Ask = [&](FunctionCallee Query, ArrayRef<Value *> Arguments, const Twine &Name) {
      CallInst *Call = Builder.CreateCall(Query, Arguments, Name);
      Call->setCallingConv(CallingConv::SPIR_FUNC);
      return Call;
    };
    Value *Zero = Builder.getInt32(0);
    const DISubprogram *Source = Model.getSubprogram();
    Frames.Base =
        Ask(Memory, {Zero, Zero, Zero, Zero},
            "stack of " + (Source ? withoutDirectories(Source->getName()) : Model.getName().str()));
    Limit = Ask(Bytes, {}, "");
    Frames.Top = variable(Int, "top");
    for (const Member &One : Members) {
      Type *Result = One.F->getReturnType();
      if (!Result->isVoidTy() && !Returned.count(Result))
        Returned[Result] = variable(Result, "result");
    }
  }

  void splitCalls(Member &One) {
    for (RecursiveCall &Call : One.Calls) {
      Call.After = SplitBlock(Call.Call->getParent(), Call.Call->getNextNode());
      if (Call.Call->getType()->isVoidTy() || Call.Call->use_empty())
        continue;
      IRBuilder<> Builder(&Call.After->front());
      Type *Result = Call.Call->getType();
      Call.Call->replaceAllUsesWith(Builder.CreateLoad(Result, Returned[Result]));
    }
    for (RecursiveCall &Call : One.Calls)
      Call.Before = Call.Call->getParent();
  }

  /// A function that only others call needs no place for what it was given.
  bool isCalledInside(const Function *F) const {
    return any_of(F->users(), [&](const User *U) { return !is_contained(Outside, U); });
  }

  void takeArguments(Member &One) {
    One.Entry = &One.F->getEntryBlock();
    if (!isCalledInside(One.F)) {
      for (Argument &A : One.F->args())
        A.replaceAllUsesWith(Merged->getArg(FirstParameter[One.F] + A.getArgNo()));
      return;
    }
    IRBuilder<> Builder(&One.Entry->front());
    for (Argument &A : One.F->args()) {
      One.Arguments.push_back(variable(A.getType(), A.getName()));
      if (!A.use_empty())
        A.replaceAllUsesWith(Builder.CreateLoad(A.getType(), One.Arguments.back(), A.getName()));
    }
  }

  void roundFrames() {
    Align Most{4};
    for (const Member &One : Members)
      Most = std::max(Most, One.FrameAlign);
    for (Member &One : Members)
      One.FrameBytes = alignTo(One.FrameBytes, Most);
  }

  /// The frame that ends at `End` is that of `Callee`.
  void push(IRBuilder<> &Builder, Value *End, const Member &Callee, const std::string &Place) {
    Type *Text = Builder.getInt8PtrTy(ConstantSpace);
    FunctionCallee Push =
        M.getOrInsertFunction(PushFunction, Builder.getVoidTy(), Int, Int, Text, Text, Text);
    auto *F = cast<Function>(Push.getCallee());
    F->setCallingConv(CallingConv::SPIR_FUNC);
    F->setOnlyAccessesInaccessibleMemory();
    F->setDoesNotThrow();
    F->setWillReturn();
    CallInst *Call = Builder.CreateCall(
        Push, {End, Limit, ConstantPointerNull::get(cast<PointerType>(Text)),
               textConstant(M, Place), textConstant(M, demangle(Callee.F->getName().str()))});
    Call->setCallingConv(CallingConv::SPIR_FUNC);
  }

  /// As one of those calls them that are not in the group.
  void enter() {
    IRBuilder<> Builder(First);
    Builder.CreateStore(Builder.getInt32(0), Frames.Top);
    SwitchInst *Choice = nullptr;
    for (const auto &[F, Index] : FirstParameter) {
      Member &One = *memberOf(F);
      auto *Block = BasicBlock::Create(Context, "call", Merged);
      if (Choice)
        Choice->addCase(Builder.getInt32(Number[F]), Block);
      else if (FirstParameter.size() > 1)
        Choice = IRBuilder<>(First).CreateSwitch(Merged->getArg(0), Block);
      else
        IRBuilder<>(First).CreateBr(Block);
      IRBuilder<> Enter(Block);
      for (unsigned I = 0; I < One.Arguments.size(); ++I)
        Enter.CreateStore(Merged->getArg(Index + I), One.Arguments[I]);
      push(Enter, Enter.getInt32(One.FrameBytes), One, placeOf(*F));
      Enter.CreateBr(One.Entry);
    }
  }

  static std::string placeOf(const Function &F) {
    const DISubprogram *Source = F.getSubprogram();
    if (!Source)
      return F.getName().str();
    const auto *Start =
        DILocation::get(F.getContext(), Source->getLine(), 1, const_cast<DISubprogram *>(Source));
    const warpscope::SourceLocation Place = locationOf(*Start);
    return Place.file + ":" + std::to_string(Place.line);
  }

  void connect(Member &Caller, RecursiveCall &Place) {
    CallInst &Call = *Place.Call;
    Member &Callee = *memberOf(Call.getCalledFunction());
    IRBuilder<> Builder(&Call);
    for (unsigned I = 0; I < Callee.Arguments.size(); ++I)
      Builder.CreateStore(Call.getArgOperand(I), Callee.Arguments[I]);
    Value *Own = Builder.getInt32(Caller.FrameBytes);
    Value *Next = Builder.CreateAdd(Frames.running(Builder), Own);
    push(Builder, Builder.CreateAdd(Next, Builder.getInt32(Callee.FrameBytes)), Callee,
         describeLocation(Call));
    if (Frames.HasPlaces)
      Builder.CreateStore(Builder.getInt32(Places.size()), Frames.address(Builder, Next, 0, Int));
    Places.push_back(Place.After);
    Builder.CreateStore(Next, Frames.Top);
    Place.Before->getTerminator()->setSuccessor(0, Callee.Entry);
    IRBuilder<> Back(&Place.After->front());
    Back.SetCurrentDebugLocation(Call.getDebugLoc());
    Back.CreateStore(Back.CreateSub(Frames.running(Back), Own), Frames.Top);
    Call.eraseFromParent();
  }

  void connectReturns() {
    auto *End = BasicBlock::Create(Context, "return", Merged);
    DebugLoc Line;
    for (BasicBlock &Block : *Merged) {
      auto *Return = dyn_cast_or_null<ReturnInst>(Block.getTerminator());
      if (!Return)
        continue;
      IRBuilder<> Builder(Return);
      if (!Line)
        Line = Return->getDebugLoc();
      if (Value *Result = Return->getReturnValue())
        Builder.CreateStore(Result, Returned[Result->getType()]);
      Builder.CreateBr(End);
      Return->eraseFromParent();
    }
    IRBuilder<> Builder(End);
    Builder.SetCurrentDebugLocation(Line);
    auto *Last = BasicBlock::Create(Context, "leave", Merged);
    auto *Back = BasicBlock::Create(Context, "back", Merged);
    Value *Top = Frames.running(Builder);
    Builder.CreateCondBr(Builder.CreateICmpEQ(Top, Builder.getInt32(0)), Last, Back);
    Builder.SetInsertPoint(Back);
    goBack(Builder, Top);
    Builder.SetInsertPoint(Last);
    leave(Builder);
  }

  void goBack(IRBuilder<> &Builder, Value *Top) {
    if (!Frames.HasPlaces) {
      Builder.CreateBr(Places.front());
      return;
    }
    Value *Place = Builder.CreateLoad(Int, Frames.address(Builder, Top, 0, Int));
    SwitchInst *Choice = Builder.CreateSwitch(Place, Places.back(), Places.size() - 1);
    for (size_t I = 0; I + 1 < Places.size(); ++I)
      Choice->addCase(Builder.getInt32(I), Places[I]);
  }

  void leave(IRBuilder<> &Builder) {
    if (Results.empty()) {
      Builder.CreateRetVoid();
      return;
    }
    SmallVector<Value *, 4> Values;
    for (Type *Result : Results)
      Values.push_back(Builder.CreateLoad(Result, Returned[Result]));
    if (Values.size() == 1)
      Builder.CreateRet(Values.front());
    else
      Builder.CreateAggregateRet(Values.data(), Values.size());
  }

  void replace(CallInst &Call) {
    const Function *F = Call.getCalledFunction();
    SmallVector<Value *, 8> Arguments;
    for (Type *T : Merged->getFunctionType()->params())
      Arguments.push_back(UndefValue::get(T));
    IRBuilder<> Builder(&Call);
    // Inlining needs a place in the caller for what has one in another function.
    if (DISubprogram *Source = Call.getFunction()->getSubprogram(); Source && !Call.getDebugLoc())
      Builder.SetCurrentDebugLocation(DILocation::get(Context, 0, 0, Source));
    if (FirstParameter.size() > 1)
      Arguments.front() = Builder.getInt32(Number[F]);
    for (unsigned I = 0; I < F->arg_size(); ++I)
      Arguments[FirstParameter[const_cast<Function *>(F)] + I] = Call.getArgOperand(I);
    CallInst *New = Builder.CreateCall(Merged, Arguments);
    New->setCallingConv(CallingConv::SPIR_FUNC);
    if (!Call.getType()->isVoidTy()) {
      Value *Result = New;
      if (Results.size() > 1)
        Result = Builder.CreateExtractValue(New, find(Results, Call.getType()) - Results.begin());
      Call.replaceAllUsesWith(Result);
    }
    Call.eraseFromParent();
  }

  Module &M;
  LLVMContext &Context;
  Type *Int;
  std::vector<Member> Members;
  DenseMap<const Function *, size_t> Number;
  SmallVector<CallInst *, 8> Outside;
  MapVector<Function *, unsigned> FirstParameter; ///< indices, of functions called from outside
  SmallVector<Type *, 4> Results;                 ///< result types of these functions
  Function *Merged = nullptr;
  BasicBlock *First = nullptr;
  Stack Frames;
  Value *Limit = nullptr;
  SmallVector<AllocaInst *, 16> Variables; ///< variables that become registers
  DenseMap<Type *, AllocaInst *> Returned; ///< what a function returned, by type
  SmallVector<BasicBlock *, 8> Places;     ///< blocks to which a return may go
};

} // namespace

bool mergeRecursive(ArrayRef<Function *> Group) {
  const auto IsOutside = [&](const User *U) {
    return !is_contained(Group, cast<Instruction>(U)->getFunction());
  };
  if (!all_of(Group, [](const Function *F) { return canMove(*F); }) ||
      none_of(Group, [&](const Function *F) { return any_of(F->users(), IsOutside); }))
    return false;
  Merger(Group).run();
  return true;
}

} // namespace wspasses
