//===- CudaUntimed.cpp - kernels that the timed engine does not model -------===//
//
// Products of a warp's matrices and asynchronous copies are computed by code that no GPU runs: the
// accesses are right, the instructions are not. The headers mark the functions that do so.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *MarkPrefix = "warpscope_untimed_"; ///< WARPSCOPE_UNTIMED in attributes.h
constexpr const char *AsyncCopy = "cp.async";

/// What a function does that is not modelled; empty if nothing.
std::string markOf(const Function &F) {
  // libcu++'s, which marks nothing.
  if (F.getName().startswith("_ZN4cuda") && F.getName().contains("12memcpy_async"))
    return AsyncCopy;
  SmallVector<StringRef, 4> Assumptions;
  F.getFnAttribute("llvm.assume").getValueAsString().split(Assumptions, ',');
  for (StringRef One : Assumptions)
    if (One.consume_front(MarkPrefix))
      return One.str();
  return "";
}

/// Everything that may call `Callee`, directly or not; who has its address may.
SmallPtrSet<Function *, 16> callersOf(Function &Callee) {
  SmallPtrSet<Function *, 16> Callers;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<Value *, 16> Left = {&Callee};
  while (!Left.empty()) {
    Value *V = Left.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (User *U : V->users()) {
      if (auto *I = dyn_cast<Instruction>(U)) {
        Callers.insert(I->getFunction());
        Left.push_back(I->getFunction());
      } else if (isa<Constant>(U)) {
        Left.push_back(U);
      }
    }
  }
  return Callers;
}

} // namespace

void markUntimedKernels(Module &M) {
  for (Function &F : M) {
    const std::string Mark = markOf(F);
    if (Mark.empty())
      continue;
    for (Function *Caller : callersOf(F)) {
      if (Caller->getCallingConv() != CallingConv::SPIR_KERNEL)
        continue;
      SmallVector<StringRef, 4> Known;
      const std::string Before = Caller->getFnAttribute(UntimedAttribute).getValueAsString().str();
      StringRef(Before).split(Known, ',', -1, /*KeepEmpty=*/false);
      if (is_contained(Known, Mark))
        continue;
      Known.push_back(Mark);
      llvm::sort(Known, std::greater<StringRef>()); // products first
      Caller->addFnAttr(UntimedAttribute, join(Known, ","));
    }
  }
}

} // namespace wspasses
