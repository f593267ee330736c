//===- OwnNames.cpp ---------------------------------------------------------===//
#include "passes/plugin/OwnNames.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *AnotherName = "kernel.";

/// What our headers define as WARPSCOPE_HARDWARE; without HardwarePrefix. A test compares it with
/// them.
constexpr StringRef InHeaders[] = {
    "atomic_add_bf16",
    "atomic_add_bf16x2",
    "atomic_add_f16",
    "atomic_add_f16x2",
    "atomic_dec",
    "atomic_inc",
    "barrier_count",
    "fragment_product",
    "fragment_put",
    "grid_barrier",
    "linear_place",
    "matrix_get",
    "matrix_put",
    "surface_place",
    "texel_filtered",
    "texel_format",
    "texel_place",
    "texel_weight",
    "warp__reduce_add_sync_int",
    "warp__reduce_add_sync_unsigned",
    "warp__reduce_and_sync_unsigned",
    "warp__reduce_max_sync_int",
    "warp__reduce_max_sync_unsigned",
    "warp__reduce_min_sync_int",
    "warp__reduce_min_sync_unsigned",
    "warp__reduce_or_sync_unsigned",
    "warp__reduce_xor_sync_unsigned",
    "warp_ballot",
    "warp_exchange",
    "warp_match",
    "warp_sync",
};

/// Whether a function of our headers may have this name: they have no debug information. All of
/// them are in every module until here, so no function of a kernel's own can have it as well.
bool isOurs(const Function &F, StringRef Name) {
  return is_contained(InHeaders, Name) && !F.getSubprogram();
}

/// Functions of our headers are used by their attribute alone; a kernel's own stay so.
void dropFromUsed(Module &M, bool CompilerUsed) {
  SmallVector<GlobalValue *> Used;
  GlobalVariable *Listed = collectUsedGlobalVariables(M, Used, CompilerUsed);
  if (!Listed)
    return;
  Listed->eraseFromParent();
  erase_if(Used, [](const GlobalValue *V) { return V->getName().startswith(HardwarePrefix); });
  if (CompilerUsed)
    appendToCompilerUsed(M, Used);
  else
    appendToUsed(M, Used);
}

/// What is there only so that its name is taken.
void dropUnused(Module &M) {
  dropFromUsed(M, false);
  dropFromUsed(M, true);
  for (Function &F : make_early_inc_range(M))
    if (F.getName().startswith(HardwarePrefix) && !F.isDeclaration() && F.use_empty())
      F.eraseFromParent();
}

/// A variable that the file defines nowhere would be one of the process in which the kernel runs.
void refuseUndefined(const Module &M) {
  for (const GlobalVariable &G : M.globals())
    for (const User *U : G.users())
      if (const auto *I = dyn_cast<Instruction>(U); I && G.isDeclaration())
        report_fatal_error("kernel '" + I->getFunction()->getName() + "': variable '" +
                               GlobalValue::dropLLVMManglingEscape(G.getName()) +
                               "' is declared, and defined nowhere",
                           false);
}

} // namespace

PreservedAnalyses OwnNamesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Cuda)
    refuseUndefined(M);
  for (Function &F : M) {
    StringRef Name = F.getName();
    if (!F.isDeclaration() && Name.consume_front(HardwarePrefix) && !(Cuda && isOurs(F, Name)))
      F.setName(AnotherName + F.getName());
    dropUnused(M);
  }
  for (const char *Name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *Listed = M.getGlobalVariable(Name))
      Listed->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace wspasses
