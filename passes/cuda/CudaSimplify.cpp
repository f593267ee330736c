//===- CudaSimplify.cpp - private memory before and after inlining ---------===//
//
// Template libraries such as Thrust and CUB are deep trees of small functions. Inlined as the front
// end leaves them, each with its arguments in memory, they take gigabytes and minutes.
//
// The same libraries read values in registers through pointers of other types: a structure is
// shuffled as an array of words, as nvcc allows. Type-based alias analysis would take such an
// access and one by the value's own type for independent.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"

#include "passes/recursion/Recursion.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace wspasses {

namespace {

bool mayBePrivate(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return any_of(Objects,
                [](const Value *Object) { return isa<AllocaInst>(Object) || isStack(*Object); });
}

bool mayAccessPrivate(const Instruction &I) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return mayBePrivate(Copy->getRawSource()) || mayBePrivate(Copy->getRawDest());
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return Pointer && mayBePrivate(Pointer);
}

} // namespace

PreservedAnalyses CudaCalleesPass::run(Module &M, ModuleAnalysisManager &AM) {
  FunctionAnalysisManager &Analyses =
      AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  FunctionPassManager Passes;
  Passes.addPass(SROAPass());
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() != CallingConv::SPIR_KERNEL)
      Analyses.invalidate(F, Passes.run(F, Analyses));
  return PreservedAnalyses::none();
}

PreservedAnalyses CudaPrivateAliasingPass::run(Function &F, FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(DisplayNameAttribute))
    return PreservedAnalyses::all();
  for (Instruction &I : instructions(F))
    if (I.hasMetadata() && mayAccessPrivate(I)) {
      I.setMetadata(LLVMContext::MD_tbaa, nullptr);
      I.setMetadata(LLVMContext::MD_tbaa_struct, nullptr);
    }
  return PreservedAnalyses::none();
}

} // namespace wspasses
