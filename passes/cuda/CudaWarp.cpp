//===- CudaWarp.cpp - all threads of a block reach a warp function ----------===//
//
// A warp function exchanges values through barriers of the whole block (include/warpscope/warp.h),
// and PoCL needs all work-items at a barrier. In
//
//     if (warp == 0) { before; x = shfl(v); after; }
//
// only one warp is there. What comes before and after the call is made conditional instead, and the
// call itself is not:
//
//     if (warp == 0) { before; }  x = shfl(warp == 0 ? v : 0);  if (warp == 0) { after; }
//
// The exchange of threads that do not take part touches nothing that others see. Where this cannot
// be done (a loop whose length differs between threads), the threads get stacks of their own
// (passes/threads/Threads.cpp). So they do where a barrier is not reached by all, and where one
// thread waits in a loop for what another one writes.
//
// Volatile stores to shared memory get such barriers, too: kernels written before Volta rely on the
// threads of a warp to run in step there.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/recursion/Recursion.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Threads.h"
#include "passes/threads/Uniformity.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace wspasses {

namespace {

/// Moves one call out of the innermost condition that guards it.
class Hoist {
public:
  Hoist(CallInst *Call, const Uniformity &Known) : Call(Call), Known(Known) {}

  bool run() {
    if (Known.Irreducible || !findGuard())
      return false;
    collectRegion();
    BasicBlock *Head = Call->getParent();
    BasicBlock *Meeting = BasicBlock::Create(Call->getContext(), "warpscope.meet",
                                             Head->getParent(), Head->getNextNode());
    BasicBlock *Tail = Head->splitBasicBlock(Call->getNextNode(), "warpscope.after");
    Head->getTerminator()->eraseFromParent();
    BranchInst::Create(Meeting, Head);
    Call->moveBefore(*Meeting, Meeting->end());
    branchAround(*Head, *Meeting, *Tail);
    return true;
  }

private:
  /// Guard: the branch that decides; Entry: its successor on the call's side.
  bool findGuard() {
    BasicBlock *Block = Call->getParent();
    const auto *Node = Known.Tree.getNode(Block)->getIDom();
    while (Node && Known.PostTree.dominates(Block, Node->getBlock()))
      Node = Node->getIDom();
    if (!Node)
      return false;
    Guard = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (!Guard || !Guard->isConditional() ||
        Known.Loops.getLoopFor(Block) != Known.Loops.getLoopFor(Guard->getParent()))
      return false;
    for (BasicBlock *Successor : Guard->successors())
      if (Successor->getSinglePredecessor() && Known.Tree.dominates(Successor, Block) &&
          Known.PostTree.dominates(Block, Successor))
        Entry = Successor;
    return Entry != nullptr;
  }

  /// The blocks between the guard and the call.
  void collectRegion() {
    SmallVector<BasicBlock *, 8> Work{Entry};
    while (!Work.empty()) {
      BasicBlock *Block = Work.pop_back_val();
      if (!Region.insert(Block).second || Block == Call->getParent())
        continue;
      append_range(Work, successors(Block));
    }
  }

  Value *joined(Value *V, BasicBlock &Head, BasicBlock &Meeting) {
    PHINode *&Phi = Phis[V];
    if (!Phi) {
      Phi = PHINode::Create(V->getType(), 2, "", &Meeting.front());
      Phi->addIncoming(V, &Head);
      Phi->addIncoming(Constant::getNullValue(V->getType()), Guard->getParent());
    }
    return Phi;
  }

  void branchAround(BasicBlock &Head, BasicBlock &Meeting, BasicBlock &Tail) {
    const bool OnTrue = Guard->getSuccessor(0) == Entry;
    BasicBlock *Other = Guard->getSuccessor(OnTrue ? 1 : 0);
    Value *Condition = Guard->getCondition();
    BranchInst *Again = OnTrue ? BranchInst::Create(&Tail, Other, Condition, &Meeting)
                               : BranchInst::Create(Other, &Tail, Condition, &Meeting);
    Again->setDebugLoc(Guard->getDebugLoc());
    Guard->setSuccessor(OnTrue ? 1 : 0, &Meeting);
    Other->replacePhiUsesWith(Guard->getParent(), &Meeting);
    Call->setArgOperand(0, joined(Call->getArgOperand(0), Head, Meeting));
    // Values of the region are undefined where it was not entered.
    for (BasicBlock *Block : Region)
      for (Instruction &I : *Block)
        replaceOutside(I, Head, Meeting);
  }

  void replaceOutside(Instruction &I, BasicBlock &Head, BasicBlock &Meeting) {
    SmallVector<Use *, 8> Uses;
    for (Use &U : I.uses()) {
      auto *User = cast<Instruction>(U.getUser());
      const BasicBlock *Where = User->getParent();
      if (auto *Phi = dyn_cast<PHINode>(User))
        Where = Phi->getIncomingBlock(U);
      if (!Region.contains(Where))
        Uses.push_back(&U);
    }
    for (Use *U : Uses)
      U->set(joined(&I, Head, Meeting));
  }

  CallInst *Call;
  const Uniformity &Known;
  BranchInst *Guard = nullptr;
  BasicBlock *Entry = nullptr;
  SmallPtrSet<BasicBlock *, 8> Region;
  DenseMap<Value *, PHINode *> Phis;
};

/// What lets a warp's threads store together: only the barrier.
constexpr const char *LockstepName = "__warpscope_warp_lockstep";

Function *lockstepFunction(Module &M) {
  if (Function *Known = M.getFunction(LockstepName))
    return Known;
  Type *Int = Type::getInt32Ty(M.getContext());
  Type *Void = Type::getVoidTy(M.getContext());
  auto *F = Function::Create(FunctionType::get(Void, {Int}, false), GlobalValue::ExternalLinkage,
                             LockstepName, M);
  F->setCallingConv(CallingConv::SPIR_FUNC);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::Convergent);
  FunctionCallee Barrier =
      M.getOrInsertFunction("_Z7barrierj", FunctionType::get(Void, {Int}, false));
  auto *Callee = cast<Function>(Barrier.getCallee());
  Callee->setCallingConv(CallingConv::SPIR_FUNC);
  Callee->addFnAttr(Attribute::Convergent);
  IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", F));
  Builder.CreateCall(Barrier, Builder.getInt32(3))->setCallingConv(CallingConv::SPIR_FUNC);
  Builder.CreateRetVoid();
  return F;
}

/// Kernels from before Volta exchange values of a warp through volatile shared memory, without a
/// barrier: the warp's threads have all loaded when one of them stores, and all have stored when
/// one goes on. False if there are no such stores.
bool keepInStep(Function &F) {
  SmallVector<StoreInst *, 16> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && Store->isVolatile() && Store->getPointerAddressSpace() == LocalSpace)
      Stores.push_back(Store);
  for (StoreInst *Store : Stores) {
    Function *Lockstep = lockstepFunction(*F.getParent());
    for (Instruction *Before : {static_cast<Instruction *>(Store), Store->getNextNode()}) {
      IRBuilder<> Builder(Before);
      Builder.SetCurrentDebugLocation(Store->getDebugLoc());
      CallInst *Call = Builder.CreateCall(Lockstep, Builder.getInt32(1));
      Call->setCallingConv(CallingConv::SPIR_FUNC);
    }
  }
  return !Stores.empty();
}

bool waits(const Instruction &I) { return isExchange(I) || isBarrier(I); }

/// The first call that not all threads reach.
CallInst *findDivergentCall(Function &F, const Uniformity &Known) {
  for (Instruction &I : instructions(F))
    if (waits(I) && !Known.reachesAllThreads(I.getParent()))
      return cast<CallInst>(&I);
  return nullptr;
}

/// PoCL's compile time grows exponentially with the barriers between conditions that come of it.
constexpr int MeetingBound = 64;

/// Lets all threads of the block reach each warp function. False if that cannot be done, or is too
/// much for PoCL; the kernel is of no use then.
bool hoistExchanges(Function &F) {
  for (bool IsFirst = true;; IsFirst = false) {
    Uniformity Known(F);
    CallInst *Call = findDivergentCall(F, Known);
    if (!Call)
      return IsFirst || count_if(instructions(F), waits) <= MeetingBound;
    if (isBarrier(*Call) || !Hoist(Call, Known).run())
      return false;
  }
}

/// An access by which a thread may wait for another one: it gives something else when repeated, and
/// the program has not computed what it writes from what it has read (as loops do that repeat an
/// atomic operation until it succeeds: those end without help).
bool mayWait(const Instruction &I, const Loop &Around) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || Load->isAtomic();
  const auto *Call = dyn_cast<CallInst>(&I);
  Optional<BuiltinName> Name = Call && Call->getCalledFunction() ? calledBuiltin(*Call) : None;
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Update->getOperation() == AtomicRMWInst::Xchg ||
           match(Update->getValOperand(), m_Zero());
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Around.isLoopInvariant(Swap->getCompareOperand());
  if (!Name)
    return false;
  if (Name->Base == "atomic_xchg" || Name->Base == "atom_xchg")
    return true;
  if (Name->Base == "atomic_cmpxchg" || Name->Base == "atom_cmpxchg")
    return Around.isLoopInvariant(Call->getArgOperand(1));
  return Name->Base.startswith("atom") && Call->arg_size() == 2 &&
         match(Call->getArgOperand(1), m_Zero());
}

/// Whether a value reaches the condition of a branch that leaves the loop.
bool decidesAboutExit(const Instruction &I, const Loop &Around) {
  SmallVector<const Instruction *, 16> Work{&I};
  SmallPtrSet<const Instruction *, 16> Seen;
  while (!Work.empty()) {
    const Instruction *Next = Work.pop_back_val();
    if (!Around.contains(Next) || !Seen.insert(Next).second)
      continue;
    if (Next->isTerminator() && Around.isLoopExiting(Next->getParent()))
      return true;
    for (const User *U : Next->users())
      if (const auto *Used = dyn_cast<Instruction>(U))
        Work.push_back(Used);
  }
  return false;
}

bool waitsInLoop(Function &F) {
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  return any_of(instructions(F), [&](const Instruction &I) {
    const Loop *Around = Loops.getLoopFor(I.getParent());
    return Around && mayWait(I, *Around) && decidesAboutExit(I, *Around);
  });
}

bool meetsGrid(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getCalledFunction() &&
         Call->getCalledFunction()->getName() == "__warpscope_grid_barrier";
}

/// Lets all threads of the block reach each warp function and barrier, if PoCL can then compile it.
/// False, and nothing is changed, if not.
bool meetTogether(Function &F) {
  // Tried with a copy: half of it would be of no use.
  ValueToValueMapTy Values;
  Function *Trial = CloneFunction(&F, Values);
  const bool IsPossible = hoistExchanges(*Trial) && !waysOfBranchWait(*Trial, waits);
  Trial->eraseFromParent();
  if (IsPossible)
    hoistExchanges(F);
  return IsPossible;
}

/// Whether the threads need stacks of their own; changes the kernel if it can do without.
bool needsOwnStacks(Function &F) {
  if (any_of(instructions(F), meetsGrid) || waitsInLoop(F))
    return true;
  if (none_of(instructions(F), waits))
    return false;
  // PoCL would have to take a recursive function's loop apart, or keep its state across barriers.
  return hasStack(F) || !meetTogether(F);
}

} // namespace

PreservedAnalyses CudaWarpPass::run(Function &F, FunctionAnalysisManager &) {
  if (F.getCallingConv() != CallingConv::SPIR_KERNEL)
    return PreservedAnalyses::all();
  const bool IsInStep = keepInStep(F);
  // OpenCL asks all work-items to come to a barrier, but not to a volatile store.
  const bool IsCuda = F.hasFnAttribute(DisplayNameAttribute);
  if (IsCuda ? !needsOwnStacks(F) : !IsInStep || meetTogether(F))
    return PreservedAnalyses::none();
  if (IsCuda || mayHaveOwnStacks(F))
    F.addFnAttr(ThreadsAttribute);
  else
    forgetSteps(F);
  return PreservedAnalyses::none();
}

void forgetSteps(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (const auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == LockstepName)
      I.eraseFromParent();
}

} // namespace wspasses
