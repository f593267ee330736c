//===- Registers.cpp --------------------------------------------------------===//
#include "passes/describe/Registers.h"

#include "passes/describe/Dependence.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

using LiveSet = DenseSet<const Instruction *>;

class Liveness {
public:
  explicit Liveness(const Function &F) : F(F), Layout(F.getParent()->getDataLayout()) {}

  uint32_t pressure() {
    solve();
    uint32_t Most = 0;
    for (const BasicBlock &Block : F)
      Most = std::max(Most, pressureOf(Block));
    return Most;
  }

private:
  /// A value that costs nothing of its own counts as the values it is made of.
  void use(const Value *V, LiveSet &Live) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return;
    if (!isTransparent(*I)) {
      Live.insert(I);
      return;
    }
    for (const Value *Operand : I->operand_values())
      use(Operand, Live);
  }

  LiveSet liveAtEnd(const BasicBlock &Block) {
    LiveSet Live;
    for (const BasicBlock *Successor : successors(&Block)) {
      for (const Instruction *I : LiveIn[Successor])
        Live.insert(I);
      for (const PHINode &Phi : Successor->phis())
        use(Phi.getIncomingValueForBlock(&Block), Live);
    }
    return Live;
  }

  void step(const Instruction &I, LiveSet &Live) {
    Live.erase(&I);
    if (!isa<PHINode>(I) && !isTransparent(I))
      for (const Value *Operand : I.operand_values())
        use(Operand, Live);
  }

  void solve() {
    bool Changed = true;
    while (Changed) {
      Changed = false;
      for (const BasicBlock *Block : post_order(&F)) {
        LiveSet Live = liveAtEnd(*Block);
        for (const Instruction &I : reverse(*Block))
          step(I, Live);
        LiveSet &Known = LiveIn[Block];
        Changed |= Live.size() != Known.size();
        Known = std::move(Live);
      }
    }
  }

  uint32_t registersOf(const Instruction &I) const {
    Type *T = I.getType();
    if (T->isVoidTy() || T->getScalarType()->isIntegerTy(1))
      return 0;
    if (T->isPointerTy()) {
      const unsigned Space = T->getPointerAddressSpace();
      return Space == LocalSpace || Space == PrivateSpace ? 1 : 2;
    }
    return T->isSized() ? divideCeil(Layout.getTypeStoreSize(T).getFixedSize(), 4) : 0;
  }

  uint32_t pressureOf(const BasicBlock &Block) {
    LiveSet Live = liveAtEnd(Block);
    uint32_t Most = weigh(Live);
    for (const Instruction &I : reverse(Block)) {
      step(I, Live);
      if (!isa<PHINode>(I))
        Most = std::max(Most, weigh(Live));
    }
    return Most;
  }

  uint32_t weigh(const LiveSet &Live) const {
    uint32_t Sum = 0;
    for (const Instruction *I : Live)
      if (!isa<AllocaInst>(I))
        Sum += registersOf(*I);
    return Sum;
  }

  const Function &F;
  const DataLayout &Layout;
  DenseMap<const BasicBlock *, LiveSet> LiveIn;
};

} // namespace

uint32_t estimateRegisters(const Function &F) { return Liveness(F).pressure(); }

} // namespace wspasses
