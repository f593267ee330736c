//===- MirrorLanes.cpp - the lanes of a warp in the other order --------------===//
//
// PoCL runs the work-items of a row one after the other. Where lanes of a warp store to one place
// at once, any of these stores may stay; which one does here is that of the last work-item. With x
// replaced by size - 1 - x in everything that the kernel computes, it is the first one's.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/LowerBuiltins.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned WarpSize = 32;

cl::opt<bool> Mirrors("warpscope-mirror-lanes",
                      cl::desc("Number the work-items of a row from its end"));

/// What has to be added to an id of dimension 0; zero where its rows do not divide into warps.
Value *shift(IRBuilder<> &Builder) {
  Value *Local = queryWorkItemFunction(Builder, "_Z12get_local_idj", 0);
  Value *Size = queryWorkItemFunction(Builder, "_Z14get_local_sizej", 0);
  Value *Warp = Builder.getInt64(WarpSize), *Zero = Builder.getInt64(0);
  Value *Divides = Builder.CreateOr(Builder.CreateICmpEQ(Builder.CreateURem(Size, Warp), Zero),
                                    Builder.CreateICmpEQ(Builder.CreateURem(Warp, Size), Zero));
  Value *Last = Builder.CreateSub(Size, Builder.getInt64(1));
  Value *Twice = Builder.CreateMul(Local, Builder.getInt64(2));
  return Builder.CreateSelect(Divides, Builder.CreateSub(Last, Twice), Zero);
}

void mirror(CallInst *Call) {
  IRBuilder<> Builder(Call->getNextNode());
  Value *Shift = shift(Builder);
  if (Call->arg_size() == 1)
    Shift = Builder.CreateSelect(Builder.CreateICmpEQ(Call->getArgOperand(0), Builder.getInt32(0)),
                                 Shift, Builder.getInt64(0));
  auto *Mirrored = cast<Instruction>(Builder.CreateAdd(Call, Shift));
  Call->replaceUsesWithIf(Mirrored, [&](Use &U) { return U.getUser() != Mirrored; });
}

} // namespace

void mirrorLanes(Module &M) {
  if (!Mirrors)
    return;
  SmallVector<CallInst *, 16> Calls;
  for (const char *Name : {"_Z12get_local_idj", "_Z13get_global_idj", "_Z19get_local_linear_idv",
                           "_Z20get_global_linear_idv"})
    if (Function *F = M.getFunction(Name))
      for (User *U : F->users())
        if (auto *Call = dyn_cast<CallInst>(U))
          Calls.push_back(Call);
  for (CallInst *Call : Calls)
    mirror(Call);
}

} // namespace wspasses
