//===- StorePairs.cpp -------------------------------------------------------===//
#include "passes/vectors/StorePairs.h"

#include "passes/vectors/PlacedAccess.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Of an odd number of bytes or shorts next to each other, the vectoriser leaves all apart.
class StorePairs {
public:
  StorePairs(const DataLayout &Layout, AAResults &Aliases) : Layout(Layout), Aliases(Aliases) {}

  bool join(BasicBlock &Block) {
    bool Changed = false;
    auto IsTaken = [&](const StoreInst &Store) {
      Type *Stored = Store.getValueOperand()->getType();
      return Store.isSimple() && Stored->isIntegerTy() &&
             Layout.getTypeSizeInBits(Stored) == Layout.getTypeStoreSizeInBits(Stored) &&
             Layout.getTypeStoreSize(Stored) < RegisterBytes;
    };
    for (const AccessGroup<StoreInst> &Group : groupsOf<StoreInst>(Block, Layout, IsTaken))
      for (size_t I = 0; I + 1 < Group.size(); ++I) {
        const bool Begins = I == 0 || Group[I - 1].end() != Group[I].Offset;
        if (Begins && joinPair(Group[I], Group[I + 1])) {
          ++I;
          Changed = true;
        }
      }
    return Changed;
  }

private:
  using Store = PlacedAccess<StoreInst>;

  bool joinPair(const Store &Low, const Store &High) {
    Type *Stored = Low.Inst->getValueOperand()->getType();
    if (High.Offset != Low.end() || High.Inst->getValueOperand()->getType() != Stored ||
        Low.Inst->getAlign().value() < uint64_t(2 * Low.Size))
      return false;
    const bool LowFirst = Low.Inst->comesBefore(High.Inst);
    StoreInst *First = LowFirst ? Low.Inst : High.Inst, *Last = LowFirst ? High.Inst : Low.Inst;
    const MemoryLocation Written = MemoryLocation::get(First);
    for (Instruction *I = First->getNextNode(); I != Last; I = I->getNextNode())
      if (!isGuaranteedToTransferExecutionToSuccessor(I) ||
          (I->mayReadOrWriteMemory() && isModOrRefSet(Aliases.getModRefInfo(I, Written))))
        return false;
    IRBuilder<> Builder(Last);
    Type *Pair = FixedVectorType::get(Stored, 2);
    Value *Both = Builder.CreateInsertElement(PoisonValue::get(Pair), Low.Inst->getValueOperand(),
                                              uint64_t{0});
    Both = Builder.CreateInsertElement(Both, High.Inst->getValueOperand(), 1);
    Value *Address = movedBy(Builder, Last->getPointerOperand(), LowFirst ? -Low.Size : 0, Pair);
    Builder.CreateAlignedStore(Both, Address, Low.Inst->getAlign());
    First->eraseFromParent();
    Last->eraseFromParent();
    return true;
  }

  const DataLayout &Layout;
  AAResults &Aliases;
};

} // namespace

bool joinStorePairs(BasicBlock &Block, const DataLayout &Layout, AAResults &Aliases) {
  return StorePairs(Layout, Aliases).join(Block);
}

} // namespace wspasses
