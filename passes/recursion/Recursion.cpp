//===- Recursion.cpp - which functions become one ---------------------------===//
#include "passes/recursion/Recursion.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/TailRecursionElimination.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace wspasses {

namespace {

using Group = SmallSetVector<Function *, 8>;

/// Functions that call themselves in the end, those that are called first.
std::vector<Group> recursiveGroups(Module &M) {
  std::vector<Group> Groups;
  CallGraph Graph(M);
  for (auto I = scc_begin(&Graph); !I.isAtEnd(); ++I) {
    if (!I.hasCycle())
      continue;
    Group Members;
    for (CallGraphNode *Node : *I)
      if (Function *F = Node->getFunction())
        Members.insert(F);
    Groups.push_back(std::move(Members));
  }
  return Groups;
}

/// A call of a function that is not in the group, and can be put in its place.
CallInst *findOtherCall(Function &F, const Group &Members) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && canInline(*Callee) && !Members.contains(Callee))
      return Call;
  }
  return nullptr;
}

/// Otherwise every object whose member functions are called would have its place in the frame.
void inlineOthers(Function &F, const Group &Members) {
  while (CallInst *Call = findOtherCall(F, Members)) {
    InlineFunctionInfo Info;
    if (!InlineFunction(*Call, Info).isSuccess())
      return;
  }
}

/// What the caller made of an argument that is passed by value is the function's own copy.
void copyValues(Function &F) {
  IRBuilder<> Builder(&*F.getEntryBlock().getFirstInsertionPt());
  for (Argument &A : F.args()) {
    if (!A.hasByValAttr())
      continue;
    Type *Passed = A.getParamByValType();
    AllocaInst *Copy = Builder.CreateAlloca(Passed, nullptr, A.getName());
    Copy->setAlignment(A.getParamAlign().valueOrOne());
    A.replaceAllUsesWith(Copy);
    Builder.CreateMemCpy(Copy, Copy->getAlign(), &A, Copy->getAlign(),
                         F.getParent()->getDataLayout().getTypeAllocSize(Passed));
    A.removeAttr(Attribute::ByVal);
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Call->removeParamAttr(A.getArgNo(), Attribute::ByVal);
  }
}

/// Debug information of variables has no place for frames. Lifetimes begin again in each of them.
void dropMarkers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
      I.eraseFromParent();
}

/// The members that a function calls in the end.
Group reachedFrom(Function &F, const Group &Members) {
  Group Reached;
  SmallVector<Function *, 8> Work{&F};
  while (!Work.empty())
    for (Instruction &I : instructions(*Work.pop_back_val())) {
      auto *Call = dyn_cast<CallInst>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Members.contains(Callee) && Reached.insert(Callee))
        Work.push_back(Callee);
    }
  return Reached;
}

/// Without some of its calls, a group may have become several.
std::vector<Group> stillRecursive(const Group &Members) {
  DenseMap<Function *, Group> Reached;
  for (Function *F : Members)
    Reached[F] = reachedFrom(*F, Members);
  std::vector<Group> Groups;
  Group Done;
  for (Function *F : Members) {
    if (Done.contains(F) || !Reached[F].contains(F))
      continue;
    Group Own;
    for (Function *Other : Members)
      if (Reached[F].contains(Other) && Reached[Other].contains(F))
        Own.insert(Other);
    Done.insert(Own.begin(), Own.end());
    Groups.push_back(std::move(Own));
  }
  return Groups;
}

} // namespace

bool canInline(const Function &F) {
  return !F.isDeclaration() && !F.getName().startswith(HardwarePrefix) &&
         isInlineViable(const_cast<Function &>(F)).isSuccess();
}

void prepareMember(Function &F) {
  dropMarkers(F);
  copyValues(F);
}

PreservedAnalyses RecursionPass::run(Module &M, ModuleAnalysisManager &AM) {
  FunctionAnalysisManager &Analyses =
      AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  FunctionPassManager Passes;
  if (Plain)
    Passes.addPass(PromotePass());
  else
    Passes.addPass(SROAPass());
  Passes.addPass(SimplifyCFGPass());
  Passes.addPass(TailCallElimPass());
  for (const Group &Members : recursiveGroups(M)) {
    for (Function *F : Members) {
      inlineOthers(*F, Members);
      prepareMember(*F);
    }
    for (Function *F : Members) {
      Analyses.invalidate(*F, PreservedAnalyses::none());
      Analyses.invalidate(*F, Passes.run(*F, Analyses));
    }
    for (const Group &Own : stillRecursive(Members))
      mergeRecursive(Own.getArrayRef());
    Analyses.clear();
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
