//===- Frames.cpp -----------------------------------------------------------===//
#include "passes/recursion/Frames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t PlaceBytes = 4;

/// Where the value of a use must be known.
Instruction *placeOf(const Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  auto *Phi = dyn_cast<PHINode>(User);
  return Phi ? Phi->getIncomingBlock(U)->getTerminator() : User;
}

/// All of a phi's entries for one block must be the same value.
void setUse(Use &U, Value *Old, Value *New) {
  auto *Phi = dyn_cast<PHINode>(U.getUser());
  if (!Phi) {
    U.set(New);
    return;
  }
  const BasicBlock *From = Phi->getIncomingBlock(U);
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
    if (Phi->getIncomingBlock(I) == From && Phi->getIncomingValue(I) == Old)
      Phi->setIncomingValue(I, New);
}

SmallVector<Use *, 16> usesOf(Value &V) {
  SmallVector<Use *, 16> Uses;
  for (Use &U : V.uses())
    Uses.push_back(&U);
  return Uses;
}

/// An address that costs nothing to compute again from the variable's.
bool isDerived(const User &U) {
  if (isa<BitCastInst>(U) || isa<AddrSpaceCastInst>(U))
    return true;
  const auto *Element = dyn_cast<GetElementPtrInst>(&U);
  return Element && Element->hasAllConstantIndices();
}

/// Addresses of variables, and those that arguments are, are computed where they are used: none is
/// kept across a call.
void computeAddressesLate(Function &F) {
  SmallSetVector<Instruction *, 16> Derived;
  for (Instruction &I : instructions(F)) {
    if (isDerived(I) && isa<Argument>(I.getOperand(0)))
      Derived.insert(&I);
    else if (!isa<AllocaInst>(I))
      continue;
    SmallVector<Instruction *, 8> Work{&I};
    while (!Work.empty())
      for (User *U : Work.pop_back_val()->users())
        if (isDerived(*U) && Derived.insert(cast<Instruction>(U)))
          Work.push_back(cast<Instruction>(U));
  }
  while (!Derived.empty()) { // those first that are computed from others
    Instruction *Address = Derived.pop_back_val();
    for (Use *U : usesOf(*Address))
      if (U->get() == Address) {
        Instruction *Copy = Address->clone();
        Copy->insertBefore(placeOf(*U));
        setUse(*U, Address, Copy);
      }
    Address->eraseFromParent();
  }
}

/// Blocks at whose beginning a value will still be needed.
SmallPtrSet<BasicBlock *, 16> blocksThatNeed(Instruction &V) {
  SmallPtrSet<BasicBlock *, 16> Found;
  SmallVector<BasicBlock *, 16> Work;
  for (const Use &U : V.uses()) {
    BasicBlock *Block = placeOf(U)->getParent();
    if (Block != V.getParent())
      Work.push_back(Block);
  }
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    if (!Found.insert(Block).second)
      continue;
    for (BasicBlock *Before : predecessors(Block))
      if (Before != V.getParent())
        Work.push_back(Before);
  }
  return Found;
}

class FrameMaker {
public:
  FrameMaker(Member &M, const Stack &Frames, BasicBlock &Own)
      : M(M), F(*M.F), Data(F.getParent()->getDataLayout()), Frames(Frames), Own(Own) {}

  void run() {
    moveOwnVariables();
    computeAddressesLate(F);
    findKept();
    layOut();
    for (Slot &Kept : Slots)
      if (auto *Variable = dyn_cast<AllocaInst>(Kept.V))
        place(*Variable, Kept.Offset);
      else
        keep(Kept);
  }

private:
  struct Slot {
    Instruction *V;
    uint64_t Bytes;
    Align Alignment;
    SmallVector<RecursiveCall *, 4> Calls; ///< calls after which a value is needed
    uint64_t Offset = 0;
  };

  bool isAfterCall(const Instruction &I) const {
    return any_of(M.Calls, [&](const RecursiveCall &Call) {
      return isPotentiallyReachable(&Call.After->front(), &I);
    });
  }

  /// Whether a variable is only read and written, and never after a call.
  bool isOver(const Instruction &Address) const {
    return all_of(Address.uses(), [&](const Use &U) {
      const auto *User = cast<Instruction>(U.getUser());
      if (isDerived(*User))
        return isOver(*User);
      const bool Accesses =
          isa<LoadInst, MemIntrinsic>(User) ||
          (isa<StoreInst>(User) && U.getOperandNo() == StoreInst::getPointerOperandIndex());
      return Accesses && !isAfterCall(*User);
    });
  }

  void moveOwnVariables() {
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<AllocaInst>(I) && isOver(I))
        I.moveBefore(Own, Own.begin());
  }

  void findKept() {
    for (Instruction &I : instructions(F)) {
      if (auto *Variable = dyn_cast<AllocaInst>(&I)) {
        const uint64_t Bytes = Variable->getAllocationSizeInBits(Data)->getFixedSize() / 8;
        Slots.push_back({&I, Bytes, Variable->getAlign(), {}});
        continue;
      }
      if (I.use_empty())
        continue;
      const auto Needed = blocksThatNeed(I);
      SmallVector<RecursiveCall *, 4> Calls;
      for (RecursiveCall &Call : M.Calls)
        if (Needed.contains(Call.After))
          Calls.push_back(&Call);
      if (!Calls.empty())
        Slots.push_back({&I, Data.getTypeAllocSize(I.getType()).getFixedSize(),
                         Data.getABITypeAlign(I.getType()), std::move(Calls)});
    }
  }

  void layOut() {
    llvm::stable_sort(Slots,
                      [](const Slot &A, const Slot &B) { return A.Alignment < B.Alignment; });
    uint64_t End = Frames.HasPlaces ? PlaceBytes : 0;
    for (Slot &S : Slots) {
      S.Offset = alignTo(End, S.Alignment);
      End = S.Offset + S.Bytes;
      M.FrameAlign = std::max(M.FrameAlign, S.Alignment);
    }
    M.FrameBytes = std::max<uint64_t>(End, 1);
  }

  void place(AllocaInst &Variable, uint64_t Offset) {
    for (Use *U : usesOf(Variable))
      if (U->get() == &Variable) {
        IRBuilder<> Builder(placeOf(*U));
        setUse(
            *U, &Variable,
            Frames.address(Builder, Frames.running(Builder), Offset, Variable.getAllocatedType()));
      }
    Variable.eraseFromParent();
  }

  void keep(const Slot &Kept) {
    Instruction &V = *Kept.V;
    SSAUpdater Updater;
    Updater.Initialize(V.getType(), V.getName());
    Updater.AddAvailableValue(V.getParent(), &V);
    SmallVector<Use *, 16> Uses = usesOf(V);
    SmallVector<StoreInst *, 4> Saves;
    DenseMap<const BasicBlock *, Value *> Restored;
    for (const RecursiveCall *Call : Kept.Calls) {
      IRBuilder<> Builder(Call->Call);
      Saves.push_back(Builder.CreateAlignedStore(
          &V, Frames.address(Builder, Frames.running(Builder), Kept.Offset, V.getType()),
          Kept.Alignment));
      Uses.push_back(&Saves.back()->getOperandUse(0));
      Builder.SetInsertPoint(&*Call->After->getFirstInsertionPt());
      Builder.SetCurrentDebugLocation(Call->Call->getDebugLoc());
      Value *Back = Builder.CreateAlignedLoad(
          V.getType(), Frames.address(Builder, Frames.running(Builder), Kept.Offset, V.getType()),
          Kept.Alignment, V.getName());
      Restored[Call->After] = Back;
      Updater.AddAvailableValue(Call->After, Back);
    }
    for (Use *U : Uses)
      rewrite(*U, V, Restored, Updater);
    // What was loaded from there is there.
    for (StoreInst *Save : Saves)
      if (any_of(Restored, [&](const auto &R) { return R.second == Save->getValueOperand(); }))
        Save->eraseFromParent();
  }

  static void rewrite(Use &U, const Instruction &V,
                      const DenseMap<const BasicBlock *, Value *> &Restored, SSAUpdater &Updater) {
    BasicBlock *Block = placeOf(U)->getParent();
    if (isa<PHINode>(U.getUser()))
      U.set(Updater.GetValueAtEndOfBlock(Block));
    else if (Value *Back = Restored.lookup(Block))
      U.set(Back);
    else if (Block != V.getParent())
      U.set(Updater.GetValueInMiddleOfBlock(Block));
  }

  Member &M;
  Function &F;
  const DataLayout &Data;
  const Stack &Frames;
  BasicBlock &Own;
  SmallVector<Slot, 16> Slots;
};

} // namespace

Value *Stack::running(IRBuilder<> &Builder) const {
  return Builder.CreateLoad(Top->getAllocatedType(), Top);
}

Value *Stack::address(IRBuilder<> &Builder, Value *Frame, uint64_t Offset, Type *T) const {
  Type *Byte = Builder.getInt8Ty();
  Value *Start =
      Builder.CreateInBoundsGEP(Byte, Base, Builder.CreateZExt(Frame, Builder.getInt64Ty()));
  Value *Place = Builder.CreateConstInBoundsGEP1_64(Byte, Start, Offset);
  return Builder.CreateBitCast(Place, T->getPointerTo());
}

void makeFrame(Member &M, const Stack &Frames, BasicBlock &Own) {
  FrameMaker(M, Frames, Own).run();
}

} // namespace wspasses
