//===- BoundBarriers.cpp ----------------------------------------------------===//
#include "passes/describe/BoundBarriers.h"

#include "passes/describe/Sites.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *RolledName = "warpscope.rolled";
constexpr unsigned UnrollThreshold = 2000; ///< as in pipeline.cpp: larger loops stay rolled anyway
constexpr unsigned MaxUpperBound = 8;      ///< LLVM's UnrollMaxUpperBound

bool isBarrierSite(Instruction &I) {
  if (!isa<CallInst>(I))
    return false;
  const Verdict Result = isInterestingInstruction(I, SiteOptions());
  return Result.Reason == SkipReason::None && Result.Found.Kind == warpscope::AccessKind::Barrier;
}

/// The branch that decides whether a block is reached, null if it always is.
const BasicBlock *guardOf(BasicBlock &Block, const DominatorTree &Dominators,
                          const PostDominatorTree &PostDominators) {
  const auto *Node = Dominators.getNode(&Block);
  while (Node && (Node = Node->getIDom()))
    if (!PostDominators.dominates(&Block, Node->getBlock()))
      return Node->getBlock();
  return nullptr;
}

/// Barriers, and the branches that guard them.
struct Counts {
  unsigned Barriers = 0, BarriersInLoop = 0;
  SmallPtrSet<const BasicBlock *, 8> Guards, GuardsInLoop;

  bool fitsUnrolled(unsigned Copies) const {
    const uint64_t More = Copies - 1;
    return Barriers + More * BarriersInLoop <= BarrierBound &&
           (GuardsInLoop.empty() || Guards.size() + More * GuardsInLoop.size() <= GuardBound);
  }
};

Counts countBarriers(const Loop &L, const DominatorTree &Dominators) {
  Function &F = *L.getHeader()->getParent();
  const PostDominatorTree PostDominators(F);
  Counts Result;
  for (BasicBlock &Block : F) {
    const auto Here = static_cast<unsigned>(count_if(Block, isBarrierSite));
    if (Here == 0)
      continue;
    Result.Barriers += Here;
    Result.BarriersInLoop += L.contains(&Block) ? Here : 0;
    const BasicBlock *Guard = guardOf(Block, Dominators, PostDominators);
    if (!Guard)
      continue;
    Result.Guards.insert(Guard);
    if (L.contains(Guard))
      Result.GuardsInLoop.insert(Guard);
  }
  return Result;
}

/// How many copies LLVM might make of the body: all iterations, or what a pragma asks for. 0 =
/// none.
unsigned copiesOf(const Loop &L, ScalarEvolution &SE) {
  if (const unsigned Trips = SE.getSmallConstantTripCount(&L))
    return Trips;
  if (const auto Asked = getOptionalIntLoopAttribute(&L, "llvm.loop.unroll.count"))
    return static_cast<unsigned>(std::max(*Asked, 0));
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  return Most <= MaxUpperBound ? Most : 0;
}

bool wouldBeUnrolled(const Loop &L, unsigned Copies) {
  uint64_t Size = 0;
  for (const BasicBlock *Block : L.blocks())
    Size += Block->size();
  return Size * Copies <= UnrollThreshold;
}

void remember(Loop &L, unsigned Copies) {
  LLVMContext &Context = L.getHeader()->getContext();
  SmallVector<Metadata *, 4> Operands = {nullptr}; // a loop's identity begins with itself
  for (const MDOperand &Operand : drop_begin(L.getLoopID()->operands()))
    Operands.push_back(Operand);
  Metadata *Number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Copies));
  Operands.push_back(MDNode::get(Context, {MDString::get(Context, RolledName), Number}));
  MDNode *Identity = MDNode::getDistinct(Context, Operands);
  Identity->replaceOperandWith(0, Identity);
  L.setLoopID(Identity);
}

} // namespace

PreservedAnalyses BoundBarriersPass::run(Loop &L, LoopAnalysisManager &,
                                         LoopStandardAnalysisResults &AR, LPMUpdater &) {
  if (none_of(L.blocks(), [](BasicBlock *Block) { return any_of(*Block, isBarrierSite); }) ||
      hasUnrollTransformation(&L) & TM_Disable)
    return PreservedAnalyses::all();
  const unsigned Copies = copiesOf(L, AR.SE);
  if (Copies < 2 || countBarriers(L, AR.DT).fitsUnrolled(Copies))
    return PreservedAnalyses::all();
  L.setLoopAlreadyUnrolled(); // that is, llvm.loop.unroll.disable and no other wish
  if (wouldBeUnrolled(L, Copies))
    remember(L, Copies);
  return PreservedAnalyses::all();
}

void boundBarriers(PassBuilder &Builder) {
  Builder.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &Passes, OptimizationLevel) { Passes.addPass(BoundBarriersPass()); });
  Builder.registerVectorizerStartEPCallback([](FunctionPassManager &Passes, OptimizationLevel) {
    Passes.addPass(createFunctionToLoopPassAdaptor(BoundBarriersPass()));
  });
}

unsigned iterationsLeftRolled(const Loop &L) {
  const auto Copies = getOptionalIntLoopAttribute(&L, RolledName);
  return Copies ? static_cast<unsigned>(*Copies) : 0;
}

} // namespace wspasses
