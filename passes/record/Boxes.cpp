//===- Boxes.cpp ------------------------------------------------------------===//
#include "passes/record/Boxes.h"

#include "passes/RuntimeABI.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/record/Accepted.h"
#include "passes/record/Prologue.h"
#include "passes/record/Skeleton.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Threads.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned LocalFence = 1; ///< CLK_LOCAL_MEM_FENCE

void insertBarrier(IRBuilder<> &Builder) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  auto *Signature = FunctionType::get(Builder.getVoidTy(), {Builder.getInt32Ty()}, false);
  Function *Barrier = declareBuiltin(M, "_Z7barrierj", Signature, /*ReadNone=*/false);
  Barrier->addFnAttr(Attribute::Convergent);
  CallInst *Call = Builder.CreateCall(Barrier, {Builder.getInt32(LocalFence)});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  Call->addFnAttr(Attribute::Convergent);
}

/// Asked in two ways, or PoCL would keep the answers to the first question for the second one,
/// work-item by work-item. So its loop over work-items that does nothing but ask is no loop.
Value *isAtOrigin(IRBuilder<> &Builder) {
  Value *Sum = queryWorkItem(Builder, "_Z12get_local_idj", 0);
  for (unsigned D = 1; D < 3; ++D)
    Sum = Builder.CreateAdd(Sum, queryWorkItem(Builder, "_Z12get_local_idj", D));
  return Builder.CreateICmpEQ(Sum, Builder.getInt64(0));
}

/// The same, where much depends on the answer: one by one, LLVM sees that only the first rounds of
/// PoCL's loops matter. It searches all work-items for one whose ids are all 0 if asked at once.
Value *isFirstOfAll(IRBuilder<> &Builder) {
  Value *AllZero = Builder.getTrue();
  for (unsigned D = 0; D < 3; ++D) {
    Value *const Id = queryWorkItem(Builder, "_Z12get_local_idj", D);
    AllZero = Builder.CreateLogicalAnd(AllZero, Builder.CreateICmpEQ(Id, Builder.getInt64(0)));
  }
  return AllZero;
}

/// Instructions of what is put in front, where PoCL would take too long to compile them: beyond
/// this, and three times what the kernel has.
constexpr size_t MostInstructions = 4000;

/// PoCL keeps what it computed before a barrier in an array, work-item by work-item, and then makes
/// no vectors of what follows. It asks for a global id at the very beginning; a local id is what it
/// counts.
void computeGlobalIdsLate(Function &Kernel) {
  for (Instruction &I : make_early_inc_range(instructions(Kernel))) {
    if (workItemValueOf(I) != WorkItemValue::GlobalId)
      continue;
    const uint64_t Dimension =
        cast<ConstantInt>(cast<CallInst>(I).getArgOperand(0))->getZExtValue();
    if (Dimension > 2)
      continue;
    IRBuilder<> Builder(&I);
    const auto Query = [&](const char *Name) { return queryWorkItem(Builder, Name, Dimension); };
    Value *const Group =
        Builder.CreateMul(Query("_Z12get_group_idj"), Query("_Z14get_local_sizej"));
    Value *const First = Builder.CreateAdd(Group, Query("_Z17get_global_offsetj"));
    I.replaceAllUsesWith(Builder.CreateAdd(First, Query("_Z12get_local_idj")));
    I.eraseFromParent();
  }
}

class BoxInstrumenter {
public:
  BoxInstrumenter(Function &Kernel, const KernelPlan &Plan, const RuntimeCalls &Calls,
                  bool AreOfGrid)
      : Kernel(Kernel), Plan(Plan), Calls(Calls), AreOfGrid(AreOfGrid),
        Context(Kernel.getContext()) {}

  /// Leaves nothing of the kernel but what is put in front of it.
  void runAlone(Function &Skeleton, bool WithObjects) {
    BasicBlock &Entry = Kernel.getEntryBlock();
    BasicBlock *const Report = BasicBlock::Create(Context, "warpscope.report", &Kernel);
    BasicBlock *const Return = BasicBlock::Create(Context, "warpscope.return", &Kernel);
    putInFront(Skeleton, WithObjects, *splitEntry(Entry), *Report, *Return);
    IRBuilder<> Builder(Report);
    Calls.call(Builder, EndBoxesSlot, {});
    Builder.CreateBr(Return);
    ReturnInst::Create(Context, Return);
    EliminateUnreachableBlocks(Kernel);
  }

  void run(Function &Skeleton, bool WithObjects) {
    atReturn();
    BasicBlock *const Start = splitEntry(Kernel.getEntryBlock());
    putInFront(Skeleton, WithObjects, *Start, *Start, *Start);
    IRBuilder<> Builder(&*Start->begin());
    insertBarrier(Builder);
  }

private:
  /// What follows the allocas, as a block of its own.
  static BasicBlock *splitEntry(BasicBlock &Entry) {
    auto Position = Entry.begin();
    while (isa<AllocaInst>(Position))
      ++Position;
    return Entry.splitBasicBlock(Position, "warpscope.start");
  }

  /// entry: allocas, -> record or Others; record -> Done. It comes before `Start`.
  void putInFront(Function &Skeleton, bool WithObjects, BasicBlock &Start, BasicBlock &Done,
                  BasicBlock &Others) {
    BasicBlock &Entry = Kernel.getEntryBlock();
    BasicBlock *const Record = BasicBlock::Create(Context, "warpscope.record", &Kernel, &Start);
    Entry.getTerminator()->eraseFromParent();
    IRBuilder<> Builder(&Entry);
    Builder.CreateCondBr(isFirstOfAll(Builder), Record, &Others);
    Builder.SetInsertPoint(Record);
    begin(Builder, WithObjects);
    callPrologue(Builder, Kernel, Skeleton, Calls);
    Builder.CreateBr(&Done);
  }

  /// All returns become one, behind a barrier: PoCL may run what is before it for all work-items
  /// together.
  void atReturn() {
    BasicBlock *const End = BasicBlock::Create(Context, "warpscope.end", &Kernel);
    BasicBlock *const Report = BasicBlock::Create(Context, "warpscope.report", &Kernel);
    BasicBlock *const Return = BasicBlock::Create(Context, "warpscope.return", &Kernel);
    for (BasicBlock &Block : Kernel)
      if (isa_and_nonnull<ReturnInst>(Block.getTerminator())) {
        Block.getTerminator()->eraseFromParent();
        BranchInst::Create(End, &Block);
      }
    IRBuilder<> Builder(End);
    insertBarrier(Builder);
    Builder.CreateCondBr(isAtOrigin(Builder), Report, Return);
    Builder.SetInsertPoint(Report);
    Calls.call(Builder, EndBoxesSlot, {});
    Builder.CreateBr(Return);
    Builder.SetInsertPoint(Return);
    Builder.CreateRetVoid();
  }

  void begin(IRBuilder<> &Builder, bool WithObjects) {
    Value *Group[3];
    for (unsigned D = 0; D < 3; ++D)
      Group[D] = queryWorkItem(Builder, "_Z12get_group_idj", D);
    Calls.call(Builder, AreOfGrid ? BeginGridBoxesSlot : BeginBoxesSlot,
               {Group[0], Group[1], Group[2]});
    if (!WithObjects)
      return;
    for (Argument &A : Kernel.args())
      if (Plan.Info.arguments[A.getArgNo()].is_pointer)
        object(Builder, 0, A.getArgNo(), Builder.CreatePtrToInt(&A, Builder.getInt64Ty()));
    for (size_t Index = 0; Index < Plan.Objects.size(); ++Index)
      object(Builder, 1, Index,
             isa<AllocaInst>(Plan.Objects[Index])
                 ? Builder.getInt64(placeOfPrivateArray(Index))
                 : Builder.CreatePtrToInt(Plan.Objects[Index], Builder.getInt64Ty()));
  }

  void object(IRBuilder<> &Builder, unsigned Kind, unsigned Index, Value *Address) {
    Calls.call(Builder, ObjectSlot,
               {Builder.getInt32(Kind), Builder.getInt32(Index), Address,
                Builder.getInt32(WARPSCOPE_ALL_ITEMS)});
  }

  Function &Kernel;
  const KernelPlan &Plan;
  const RuntimeCalls &Calls;
  bool AreOfGrid;
  LLVMContext &Context;
};

} // namespace

bool instrumentBoxes(Function &Kernel, const KernelPlan &Plan, const RuntimeCalls &Calls,
                     bool WithObjects, bool WithBranches, bool Alone) {
  if (Kernel.hasFnAttribute(ThreadsAttribute) ||
      none_of(instructions(Kernel), [](const Instruction &I) { return isa<ReturnInst>(I); }) ||
      !acceptsForBoxes(Kernel))
    return false;
  const Optional<AffineValues> Values = findAffineValues(Kernel, Plan);
  if (!Values)
    return false;
  Function *const Skeleton = makeSkeleton(Kernel, Plan, *Values, Calls, WithBranches);
  if (const size_t Size = Skeleton->getInstructionCount();
      Size > MostInstructions && Size > 3 * Kernel.getInstructionCount()) {
    Skeleton->eraseFromParent();
    return false;
  }
  BoxInstrumenter Instrumenter(Kernel, Plan, Calls, Values->AreOfGrid);
  if (Alone) {
    Instrumenter.runAlone(*Skeleton, WithObjects);
    return true;
  }
  if (none_of(instructions(Kernel), isBarrier))
    computeGlobalIdsLate(Kernel);
  Instrumenter.run(*Skeleton, WithObjects);
  return true;
}

} // namespace wspasses
