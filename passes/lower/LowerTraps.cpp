//===- LowerTraps.cpp - traps become calls of the host -----------------------===//
//
// A trap of a GPU ends the launch with an error. One of the host's ends the process, and the
// unreachable code behind it is what PoCL cannot compile. So a trap is a call that tells the host,
// which stops the kernel. To the passes the branch comes back, as that of a failed assertion does:
// it shapes the rest of the kernel no more than any other.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/Traps.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

bool isTrapIntrinsic(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::trap ||
                  Call->getIntrinsicID() == Intrinsic::debugtrap ||
                  Call->getIntrinsicID() == Intrinsic::ubsantrap);
}

Function *trapFunction(Module &M) {
  auto *Trap = cast<Function>(
      M.getOrInsertFunction(TrapFunction, Type::getVoidTy(M.getContext())).getCallee());
  Trap->setCallingConv(CallingConv::SPIR_FUNC);
  Trap->setDoesNotThrow();
  Trap->setOnlyReadsMemory();          // what was loaded before it stays known, and stored stays
  Trap->addFnAttr(Attribute::NoMerge); // each says where it is
  return Trap;
}

} // namespace

void lowerTraps(Module &M) {
  SmallVector<Instruction *, 8> Traps;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (isTrapIntrinsic(I))
        Traps.push_back(&I);
  for (Instruction *Trap : Traps) {
    // Without writes and bound to return, a function would do nothing that matters.
    Trap->getFunction()->removeFnAttr(Attribute::MustProgress);
    IRBuilder<> Builder(Trap);
    CallInst *Call = Builder.CreateCall(trapFunction(M));
    Call->setCallingConv(CallingConv::SPIR_FUNC);
    Call->addFnAttr(Attribute::NoMerge);
    Trap->eraseFromParent();
  }
}

void returnWhereUnreachable(Function &Kernel) {
  for (BasicBlock &Block : Kernel)
    if (auto *End = dyn_cast<UnreachableInst>(Block.getTerminator())) {
      ReturnInst::Create(Kernel.getContext(), nullptr, End)->setDebugLoc(End->getDebugLoc());
      End->eraseFromParent();
    }
}

} // namespace wspasses
