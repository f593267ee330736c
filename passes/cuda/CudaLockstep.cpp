//===- CudaLockstep.cpp - shared memory that a warp accesses in step --------===//
//
// Before Volta the threads of a warp ran in step, and kernels exchange values through shared memory
// without a barrier:
//
//     s[t] += s[t + 16]; s[t] += s[t + 8];
//
// Volatile stores are in step already (CudaWarp.cpp). So accesses that such kernels rely on become
// volatile here, before anything is optimised: no value stays in a register, and none is loaded
// early. Which ones: all of shared memory, or those by which threads may exchange values. These are
// a store and a load of one array, at addresses that are not known to be the thread's own, with no
// barrier and no warp function on some way between them. Reductions that halve do not: `if (t < n)
// s[t] += s[t + n];`.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/LowerBuiltins.h"
#include "passes/threads/Branches.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace wspasses {

namespace {

enum class Lockstep { None, Exchanges, All };

cl::opt<Lockstep>
    LockstepMode("warpscope-lockstep",
                 cl::desc("Which accesses to shared memory a warp makes in step"),
                 cl::values(clEnumValN(Lockstep::None, "none", "volatile ones"),
                            clEnumValN(Lockstep::Exchanges, "exchanges",
                                       "also those by which its threads may exchange values"),
                            clEnumValN(Lockstep::All, "all", "all")),
                 cl::init(Lockstep::None));

bool isSharedAccess(const Instruction &I) {
  const Value *Address = getLoadStorePointerOperand(&I);
  return Address && Address->getType()->getPointerAddressSpace() == LocalSpace;
}

/// A barrier, or a warp function: what is before it and behind it is in order.
bool orders(const Instruction &I) {
  if (isBarrier(I))
    return true;
  const auto *Call = dyn_cast<CallInst>(&I);
  StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
  return Name.consume_front(HardwarePrefix) &&
         (Name.startswith("warp_") || Name.startswith("barrier_") || Name == "grid_barrier");
}

/// The index in which two addresses differ, without extensions: of `s[i]` and `s[j]`, i and j.
/// Nulls if they differ in more.
std::pair<Value *, Value *> differingIndex(const Value *A, const Value *B) {
  const auto *First = dyn_cast<GEPOperator>(A);
  const auto *Second = dyn_cast<GEPOperator>(B);
  std::pair<Value *, Value *> Found{nullptr, nullptr};
  if (!First || !Second || First->getNumOperands() != Second->getNumOperands())
    return Found;
  for (unsigned I = 0; I < First->getNumOperands(); ++I) {
    Value *X = First->getOperand(I), *Y = Second->getOperand(I);
    if (X == Y)
      continue;
    if (I == 0 || Found.first)
      return {nullptr, nullptr};
    Found = {X, Y};
  }
  const auto Plain = [](Value *V) {
    return V && isa<SExtInst, ZExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
  };
  return {Plain(Found.first), Plain(Found.second)};
}

/// Whether `Index` is below `Limit` wherever `Block` is executed: a branch that decides about it
/// says so.
bool isBelow(const Value *Index, const Value *Limit, const BasicBlock *Block,
             const DominatorTree &Tree) {
  for (const auto *Node = Tree.getNode(Block); Node && Node->getIDom(); Node = Node->getIDom()) {
    const BasicBlock *Above = Node->getIDom()->getBlock();
    const auto *Branch = dyn_cast<BranchInst>(Above->getTerminator());
    CmpInst::Predicate Relation;
    Value *Bound = nullptr;
    if (!Branch || !Branch->isConditional() ||
        !match(Branch->getCondition(), m_c_ICmp(Relation, m_Specific(Index), m_Value(Bound))))
      continue;
    if (!Tree.dominates(BasicBlockEdge(Above, Branch->getSuccessor(0)), Block))
      continue;
    const auto *Known = dyn_cast<ConstantInt>(Bound), *Wanted = dyn_cast<ConstantInt>(Limit);
    const bool Same =
        Bound == Limit || (Known && Wanted && Known->getBitWidth() == Wanted->getBitWidth() &&
                           Known->getValue().sle(Wanted->getValue()));
    if (Same && (Relation == CmpInst::ICMP_SLT || Relation == CmpInst::ICMP_ULT))
      return true;
  }
  return false;
}

/// `if (i < n) s[i] += s[i + n]`: no thread stores what another one loads.
bool isHalving(const Instruction &Store, const Instruction &Load, const Value *A, const Value *B,
               const DominatorTree &Tree) {
  const auto [Stored, Loaded] = differingIndex(A, B);
  Value *Distance = nullptr;
  return Stored && match(Loaded, m_c_Add(m_Specific(Stored), m_Value(Distance))) &&
         isBelow(Stored, Distance, Store.getParent(), Tree) &&
         isBelow(Stored, Distance, Load.getParent(), Tree);
}

/// Whether a store and a load may be of one array and of different threads' elements.
bool mayExchange(const Instruction &Store, const Instruction &Load, const DominatorTree &Tree) {
  const Value *A = getLoadStorePointerOperand(&Store)->stripPointerCasts();
  const Value *B = getLoadStorePointerOperand(&Load)->stripPointerCasts();
  return A != B && getUnderlyingObject(A) == getUnderlyingObject(B) &&
         !isHalving(Store, Load, A, B, Tree);
}

/// The shared loads and stores that a way leads to from behind `From` without anything that orders.
void accessesBehind(Instruction &From, SmallVectorImpl<Instruction *> &Reached) {
  SmallVector<Instruction *, 16> Work{From.getNextNode()};
  SmallPtrSet<BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    BasicBlock *Block = I->getParent();
    while (I && !orders(*I)) {
      if (isSharedAccess(*I))
        Reached.push_back(I);
      I = I->getNextNode();
    }
    if (I)
      continue;
    for (BasicBlock *Next : successors(Block))
      if (Seen.insert(Next).second)
        Work.push_back(&Next->front());
  }
}

void setVolatile(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setVolatile(true);
  else
    cast<StoreInst>(I).setVolatile(true);
}

/// Those that exchange values of threads, in either order.
void findExchanges(ArrayRef<Instruction *> Accesses, const DominatorTree &Tree,
                   SmallPtrSetImpl<Instruction *> &Found) {
  for (Instruction *From : Accesses) {
    SmallVector<Instruction *, 32> Reached;
    accessesBehind(*From, Reached);
    for (Instruction *To : Reached) {
      const bool StoresFirst = isa<StoreInst>(From);
      if (StoresFirst == isa<StoreInst>(To) ||
          !mayExchange(StoresFirst ? *From : *To, StoresFirst ? *To : *From, Tree))
        continue;
      Found.insert(From);
      Found.insert(To);
    }
  }
}

} // namespace

PreservedAnalyses CudaLockstepPass::run(Function &F, FunctionAnalysisManager &) {
  if (LockstepMode == Lockstep::None || F.getCallingConv() != CallingConv::SPIR_KERNEL ||
      !F.hasFnAttribute(DisplayNameAttribute))
    return PreservedAnalyses::all();
  SmallVector<Instruction *, 32> Accesses;
  for (Instruction &I : instructions(F))
    if (isSharedAccess(I))
      Accesses.push_back(&I);
  SmallPtrSet<Instruction *, 32> Found(Accesses.begin(), Accesses.end());
  if (LockstepMode == Lockstep::Exchanges) {
    Found.clear();
    findExchanges(Accesses, DominatorTree(F), Found);
  }
  for (Instruction *I : Found)
    setVolatile(*I);
  return PreservedAnalyses::none();
}

} // namespace wspasses
