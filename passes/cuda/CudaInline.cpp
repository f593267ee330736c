//===- CudaInline.cpp - inlining of deep trees of functions ----------------===//
//
// What LLVM's AlwaysInlinerPass does, in its order. That pass removes functions at the end only, so
// that each function is copied into all those above it, of which only the kernel is needed. Here a
// function goes as soon as nobody calls it: with Thrust's trees it is several times faster.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace wspasses {

namespace {

SmallSetVector<CallBase *, 16> callsToInline(const Function &F) {
  SmallSetVector<CallBase *, 16> Calls;
  for (User *U : const_cast<Function &>(F).users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == &F &&
                                            Call->hasFnAttr(Attribute::AlwaysInline) &&
                                            !Call->getAttributes().hasFnAttr(Attribute::NoInline))
      Calls.insert(Call);
  return Calls;
}

} // namespace

PreservedAnalyses CudaInlinePass::run(Module &M, ModuleAnalysisManager &AM) {
  FunctionAnalysisManager &Analyses =
      AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  auto Assumptions = [&](Function &F) -> AssumptionCache & {
    return Analyses.getResult<AssumptionAnalysis>(F);
  };
  auto &Profile = AM.getResult<ProfileSummaryAnalysis>(M);
  for (Function &F : make_early_inc_range(M)) {
    if (F.isDeclaration() || !isInlineViable(F).isSuccess())
      continue;
    for (CallBase *Call : callsToInline(F)) {
      Function *Caller = Call->getCaller();
      InlineFunctionInfo Info(nullptr, Assumptions, &Profile);
      if (InlineFunction(*Call, Info, &Analyses.getResult<AAManager>(F)).isSuccess())
        AttributeFuncs::mergeAttributesForInlining(*Caller, F);
    }
    F.removeDeadConstantUsers();
    if (F.hasFnAttribute(Attribute::AlwaysInline) && !F.hasComdat() && F.isDefTriviallyDead()) {
      Analyses.clear(F, F.getName());
      F.eraseFromParent();
    }
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
