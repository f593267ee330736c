//===- LargeCallees.cpp - functions that are too large to be copied ---------===//
//
//     template <int N>
//     float at(float x) { return at<N - 1>(x) + at<N - 1>(x + N) * at<N - 1>(1); }
//
// With everything inlined, `at<10>` is 3^10 copies of `at<0>`. NVIDIA's compiler (13.0) simplifies
// callees first and copies one of some 6,000 instructions, but none of 9,000 or 18,000
// (validation/notes/compilation.md).
//
// Sizes are measured in a copy of the module: the functions of templates shrink by a factor of
// two to a thousand, and a library's kernels must not become calls because of code that disappears.
//
//===----------------------------------------------------------------------===//
#include "passes/recursion/Recursion.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Instructions of a function that is not copied, after simplification.
constexpr uint64_t LargeSize = 8000;
/// Instructions with everything inlined and nothing simplified. No smaller function is measured.
constexpr uint64_t LargeUnsimplified = 30000;
constexpr uint64_t Saturated = 1000000000;

using Functions = SmallSetVector<Function *, 16>;

bool isEntry(const Function &F) { return F.getCallingConv() == CallingConv::SPIR_KERNEL; }

Function *calleeOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && canInline(*Callee) ? Callee : nullptr;
}

/// Functions that can be inlined and do not call themselves, those that are called first.
Functions calleesFirst(Module &M) {
  Functions Found;
  CallGraph Graph(M);
  for (auto I = scc_begin(&Graph); !I.isAtEnd(); ++I)
    if (Function *F = I->front()->getFunction(); F && !I.hasCycle() && canInline(*F))
      Found.insert(F);
  return Found;
}

bool isCalledTwice(const Function &F) {
  return count_if(F.users(), [](const User *U) { return isa<CallInst>(U); }) > 1;
}

/// Functions that may be large, and all that they call. Nothing is simplified for this.
Functions toMeasure(const Functions &All) {
  DenseMap<const Function *, uint64_t> Size;
  for (Function *F : All) {
    uint64_t Sum = 0;
    for (const Instruction &I : instructions(*F))
      Sum += 1 + Size.lookup(calleeOf(I));
    Size[F] = std::min(Sum, Saturated);
  }
  Functions Found;
  SmallVector<Function *, 16> Work;
  for (Function *F : All)
    if (!isEntry(*F) && Size[F] > LargeUnsimplified && isCalledTwice(*F))
      Work.push_back(F);
  while (!Work.empty()) {
    Function *F = Work.pop_back_val();
    if (!All.contains(F) || !Found.insert(F))
      continue;
    for (const Instruction &I : instructions(*F))
      if (Function *Callee = calleeOf(I))
        Work.push_back(Callee);
  }
  return Found;
}

/// Replaces calls by code, except those of functions that are not in `Small`.
void inlineSmall(Function &F, const Functions &Small) {
  SmallVector<CallInst *, 16> Work;
  for (Instruction &I : instructions(F))
    if (Function *Callee = calleeOf(I); Callee && Small.contains(Callee))
      Work.push_back(cast<CallInst>(&I));
  while (!Work.empty()) {
    InlineFunctionInfo Info;
    if (!InlineFunction(*Work.pop_back_val(), Info).isSuccess())
      continue;
    for (CallBase *New : Info.InlinedCallSites)
      if (Function *Callee = calleeOf(*New); Callee && Small.contains(Callee))
        Work.push_back(cast<CallInst>(New));
  }
}

/// What a function is measured after.
class Simplifier {
public:
  Simplifier() {
    PassBuilder Builder;
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Graphs);
    Builder.registerFunctionAnalyses(Analyses);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Analyses, Graphs, Modules);
    Passes.addPass(SROAPass());
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
  }

  uint64_t sizeOf(Function &F) {
    Analyses.invalidate(F, Passes.run(F, Analyses));
    return F.getInstructionCount();
  }

private:
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Analyses;
  CGSCCAnalysisManager Graphs;
  ModuleAnalysisManager Modules;
  FunctionPassManager Passes;
};

/// Names of the functions that stay calls.
StringSet<> largeFunctions(const Module &M) {
  std::unique_ptr<Module> Copy = CloneModule(M);
  StringSet<> Large;
  Functions Small;
  {
    Simplifier Simplify;
    const Functions Measured = toMeasure(calleesFirst(*Copy));
    StringSet<> Candidates;
    for (const Function *F : Measured)
      if (isCalledTwice(*F))
        Candidates.insert(F->getName());
    for (Function *F : calleesFirst(*Copy)) {
      if (!Measured.contains(F))
        continue;
      inlineSmall(*F, Small);
      if (Simplify.sizeOf(*F) > LargeSize && Candidates.contains(F->getName()))
        Large.insert(F->getName());
      else
        Small.insert(F);
    }
  }
  return Large;
}

bool callsLarge(Function &F, const StringSet<> &Large) {
  Functions Reached;
  Reached.insert(&F);
  for (size_t I = 0; I < Reached.size(); ++I)
    for (const Instruction &Place : instructions(*Reached[I]))
      if (Function *Callee = calleeOf(Place)) {
        if (Large.contains(Callee->getName()))
          return true;
        Reached.insert(Callee);
      }
  return false;
}

/// A function that does what the kernel did, which now only calls it.
Function *moveBody(Function &Kernel) {
  auto *Body = Function::Create(Kernel.getFunctionType(), GlobalValue::InternalLinkage,
                                Kernel.getName() + ".body", Kernel.getParent());
  Body->setAttributes(Kernel.getAttributes());
  Body->setCallingConv(CallingConv::SPIR_FUNC);
  Body->getBasicBlockList().splice(Body->end(), Kernel.getBasicBlockList());
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Kernel.args()) {
    A.replaceAllUsesWith(Body->getArg(A.getArgNo()));
    Body->getArg(A.getArgNo())->setName(A.getName());
    Arguments.push_back(&A);
  }
  IRBuilder<> Builder(BasicBlock::Create(Kernel.getContext(), "entry", &Kernel));
  Builder.CreateCall(Body, Arguments)->setCallingConv(CallingConv::SPIR_FUNC);
  Builder.CreateRetVoid();
  return Body;
}

/// The kernel's own copies of the large functions that it calls in the end.
Functions copyLarge(Function &Body, const Functions &Small, const StringSet<> &Large) {
  Functions Members;
  Members.insert(&Body);
  DenseMap<Function *, Function *> Copies;
  for (size_t I = 0; I < Members.size(); ++I) {
    inlineSmall(*Members[I], Small);
    for (Instruction &Place : instructions(*Members[I])) {
      Function *Callee = calleeOf(Place);
      if (!Callee || !Large.contains(Callee->getName()))
        continue;
      Function *&Own = Copies[Callee];
      if (!Own) {
        ValueToValueMapTy Map;
        Own = CloneFunction(Callee, Map);
        Members.insert(Own);
      }
      cast<CallInst>(Place).setCalledFunction(Own);
    }
  }
  return Members;
}

} // namespace

PreservedAnalyses LargeCalleesPass::run(Module &M, ModuleAnalysisManager &AM) {
  Functions Small = calleesFirst(M);
  if (toMeasure(Small).empty())
    return PreservedAnalyses::all();
  const StringSet<> Large = largeFunctions(M);
  Small.remove_if([&](const Function *F) { return Large.contains(F->getName()); });
  FunctionAnalysisManager &Analyses =
      AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  Analyses.clear();
  FunctionPassManager Passes;
  Passes.addPass(SROAPass());
  Passes.addPass(SimplifyCFGPass());
  std::vector<Function *> Kernels;
  for (Function &F : M)
    if (isEntry(F) && !F.isDeclaration() && F.use_empty() && callsLarge(F, Large))
      Kernels.push_back(&F);
  for (Function *Kernel : Kernels) {
    const Functions Members = copyLarge(*moveBody(*Kernel), Small, Large);
    for (Function *F : Members) {
      prepareMember(*F);
      Analyses.invalidate(*F, Passes.run(*F, Analyses));
    }
    mergeRecursive(Members.getArrayRef());
    Analyses.clear();
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
