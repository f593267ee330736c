//===- Describe.cpp ---------------------------------------------------------===//
#include "passes/describe/Describe.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/describe/BoundBarriers.h"
#include "passes/describe/InstructionMix.h"
#include "passes/describe/Parallelism.h"
#include "passes/describe/Registers.h"
#include "passes/describe/Sources.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/SourceLines.h"
#include "passes/signatures/Signatures.h"
#include "passes/threads/Threads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t LargestAccess = 16; ///< bytes that one GPU instruction moves per work-item
constexpr unsigned MostNested = 8;     ///< of an expression that is looked through

/// Orders the blocks of one loop (or of the whole function), with inner loops as single nodes.
class LoopOrder {
public:
  LoopOrder(LoopInfo &Loops, std::vector<BasicBlock *> &Out) : Loops(Loops), Out(Out) {}

  void order(Loop *Level, BasicBlock *Entry) {
    SmallPtrSet<BasicBlock *, 16> Visited;
    SmallVector<BasicBlock *, 16> Finished;
    visit(Level, Entry, Visited, Finished);
    for (BasicBlock *Node : reverse(Finished)) {
      Loop *Inner = innerLoop(Level, Node);
      if (Inner)
        order(Inner, Node);
      else
        Out.push_back(Node);
    }
  }

private:
  /// The child loop of `Level` that `Node` heads, null if it is a plain block.
  Loop *innerLoop(Loop *Level, BasicBlock *Node) const {
    Loop *L = Loops.getLoopFor(Node);
    if (L == Level)
      return nullptr;
    while (L->getParentLoop() != Level)
      L = L->getParentLoop();
    return L;
  }

  /// The node of a block at this level, null if the block is outside.
  BasicBlock *nodeOf(Loop *Level, BasicBlock *Block) const {
    if (Level && !Level->contains(Block))
      return nullptr;
    Loop *Inner = innerLoop(Level, Block);
    return Inner ? Inner->getHeader() : Block;
  }

  void visit(Loop *Level, BasicBlock *Node, SmallPtrSetImpl<BasicBlock *> &Visited,
             SmallVectorImpl<BasicBlock *> &Finished) const {
    Visited.insert(Node);
    SmallVector<BasicBlock *, 8> Next;
    if (Loop *Inner = innerLoop(Level, Node))
      Inner->getExitBlocks(Next);
    else
      append_range(Next, successors(Node));
    // The last one visited ends up first.
    for (BasicBlock *Successor : reverse(Next)) {
      BasicBlock *Target = nodeOf(Level, Successor);
      if (Target && !Visited.contains(Target))
        visit(Level, Target, Visited, Finished);
    }
    Finished.push_back(Node);
  }

  LoopInfo &Loops;
  std::vector<BasicBlock *> &Out;
};

/// "__global const float* restrict", put together again from the pieces that clang keeps.
std::string argumentType(const Function &F, unsigned Index, bool IsPointer) {
  static constexpr const char *Spaces[] = {"", "__global ", "__constant ", "__local "};
  std::string Type = argumentText(F, "kernel_arg_type", Index);
  if (!IsPointer)
    return Type;
  const std::string Qualifiers = argumentText(F, "kernel_arg_type_qual", Index);
  StringRef Q = Qualifiers;
  const unsigned Space = argumentSpace(F, Index);
  std::string Prefix = Space <= LocalSpace ? Spaces[Space] : "";
  // __constant implies const.
  Prefix += Q.contains("const") && Space != ConstantSpace ? "const " : "";
  Prefix += Q.contains("volatile") ? "volatile " : "";
  return Prefix + Type + (Q.contains("restrict") ? " restrict" : "");
}

std::vector<warpscope::ArgumentInfo> describeArguments(const Function &F) {
  std::vector<warpscope::ArgumentInfo> Arguments;
  for (const Argument &Argument : F.args()) {
    const unsigned Index = Argument.getArgNo();
    std::string Base = argumentText(F, "kernel_arg_base_type", Index);
    // Images are pointers for LLVM, structs passed by value too.
    const bool IsPointer = Argument.getType()->isPointerTy() && !Argument.hasByValAttr() &&
                           (Base.empty() || StringRef(Base).endswith("*"));
    std::string Name = argumentText(F, "kernel_arg_name", Index);
    if (Name.empty())
      Name = Argument.hasName() ? Argument.getName().str() : "argument" + std::to_string(Index);
    const auto Space =
        IsPointer ? Argument.getType()->getPointerAddressSpace() : unsigned{PrivateSpace};
    Arguments.push_back({Name, argumentType(F, Index, IsPointer),
                         static_cast<warpscope::AddressSpace>(Space), IsPointer});
  }
  return Arguments;
}

class Describer {
public:
  Describer(Function &F, FunctionAnalysisManager &AM, const SiteOptions &Options)
      : F(F), AM(AM), Options(Options), Numbers(numberBlocks(F, AM)), Objects(F),
        Motion(F, AM, Numbers) {}

  KernelPlan describe() {
    warpscope::KernelInfo &Info = Plan.Info;
    // CUDA's kernels may have names that are no identifiers: "saxpy<float>".
    Info.name = F.hasFnAttribute(DisplayNameAttribute)
                    ? F.getFnAttribute(DisplayNameAttribute).getValueAsString().str()
                    : F.getName().str();
    Info.arguments = describeArguments(F);
    // OpenCL asks work-items to agree on barriers however they are run.
    Info.independent_threads =
        F.hasFnAttribute(ThreadsAttribute) && F.hasFnAttribute(DisplayNameAttribute);
    Info.barrier_bound = BarrierBound;
    Info.guard_bound = GuardBound;
    describeLoops();
    for (BasicBlock *Block : Numbers.Blocks)
      describeBlock(*Block);
    describeSources();
    describeUntimed();
    Info.objects = Objects.describe();
    Info.static_local_bytes = Objects.staticLocalBytes();
    Info.registers_estimate = estimateRegisters(F);
    Plan.Blocks = Numbers.Blocks;
    Plan.Objects = Objects.values();
    return std::move(Plan);
  }

private:
  /// In the first block; where in the kernel is not known after inlining.
  void describeUntimed() {
    SmallVector<StringRef, 4> Uses;
    F.getFnAttribute(UntimedAttribute).getValueAsString().split(Uses, ',', -1, false);
    for (StringRef One : Uses)
      Plan.Info.blocks.front().mix[One.str()] = 1;
  }

  void describeLoops() {
    for (const Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
      warpscope::LoopInfo Info;
      Info.header = warpscope::BlockId(Numbers.BlockOf.lookup(L->getHeader()));
      if (const Loop *Parent = L->getParentLoop())
        Info.parent = LoopIndex.lookup(Parent);
      Info.left_rolled = iterationsLeftRolled(*L);
      Info.is_counted = !isa<SCEVCouldNotCompute>(
          AM.getResult<ScalarEvolutionAnalysis>(F).getBackedgeTakenCount(L));
      if (const DILocation *Start = L->getStartLoc(); Start && Info.left_rolled)
        Info.location = locationOf(*Start);
      LoopIndex[L] = Plan.Info.loops.size();
      Plan.Info.loops.push_back(Info);
    }
  }

  /// When all sites have their numbers: a phi may name one of a later block.
  void describeSources() {
    SiteNumbers SiteOf;
    for (size_t Site = 0; Site < Plan.Sites.size(); ++Site)
      SiteOf[Plan.Sites[Site].Inst] = Site;
    for (size_t Site = 0; Site < Plan.Sites.size(); ++Site)
      if (const Value *Address = Plan.Sites[Site].Address)
        Plan.Info.sites[Site].address_from = sourcesOf(Address, SiteOf);
    for (size_t Block = 0; Block < Plan.Info.blocks.size(); ++Block) {
      const Instruction *End = Numbers.Blocks[Block]->getTerminator();
      if (End->getNumSuccessors() > 1)
        Plan.Info.blocks[Block].branch_from = allOf(sourcesOf(End->getOperand(0), SiteOf));
    }
  }

  void describeBlock(BasicBlock &Block) {
    warpscope::BlockInfo Info;
    for (BasicBlock *Successor : successors(&Block))
      Info.successors.emplace_back(Numbers.BlockOf.lookup(Successor));
    const auto *Node = AM.getResult<PostDominatorTreeAnalysis>(F).getNode(&Block);
    const auto *Above = Node ? Node->getIDom() : nullptr;
    if (Above && Above->getBlock())
      Info.immediate_post_dominator = warpscope::BlockId(Numbers.BlockOf.lookup(Above->getBlock()));
    if (const Loop *L = AM.getResult<LoopAnalysis>(F).getLoopFor(&Block))
      Info.loop = LoopIndex.lookup(L);
    Info.instructions = Block.size();
    BlockGraph Graph(Motion);
    for (Instruction &I : Block)
      describeInstruction(I, Info, Graph);
    Info.parallelism = Graph.result();
    Plan.Info.blocks.push_back(std::move(Info));
  }

  /// Copies of one instruction (unrolled, inlined twice) are one thing to fix.
  void noteUntraceable(const std::string &Text) {
    if (!is_contained(Plan.Info.untraceable, Text))
      Plan.Info.untraceable.push_back(Text);
  }

  void describeInstruction(Instruction &I, warpscope::BlockInfo &Block, BlockGraph &Graph) {
    Verdict Result = isInterestingInstruction(I, Options);
    ++Plan.Skipped[static_cast<unsigned>(Result.Reason)];
    if (Result.Reason == SkipReason::Untraceable)
      noteUntraceable(describeLocation(I) + ": " + Result.What);
    if (Result.Reason == SkipReason::None) {
      Block.sites.emplace_back(Plan.Sites.size());
      Plan.Info.sites.push_back(describeSite(Result.Found));
      Plan.Sites.push_back(std::move(Result.Found));
    }
    if (auto Meeting = meetingOf(I, Numbers.PositionOf.lookup(&I)))
      Block.meetings.push_back(*Meeting);
    // A struct passed by value is read from the bank of kernel parameters.
    MixEntry Mix = Result.Reason == SkipReason::KernelParameter
                       ? MixEntry{"load_constant"}
                       : classifyInstruction(I, piecesOf(I));
    if (Mix.Count)
      Block.mix[Mix.Class.str()] += Mix.Count;
    if (Mix.More)
      Block.mix["int_alu"] += Mix.More;
    Graph.add(I, Mix);
  }

  uint64_t alignmentOf(Instruction &I, Value *Address) const {
    const DataLayout &Layout = F.getParent()->getDataLayout();
    uint64_t Known =
        getKnownAlignment(Address, Layout, &I, nullptr, &AM.getResult<DominatorTreeAnalysis>(F))
            .value();
    if (isa<LoadInst, StoreInst>(I))
      return std::max(Known, getLoadStoreAlignment(&I).value());
    // OpenCL C requires atomics to be aligned to their size.
    return std::max<uint64_t>(Known,
                              Layout
                                  .getTypeStoreSize(I.getType()->isStructTy()
                                                        ? I.getType()->getStructElementType(0)
                                                        : I.getType())
                                  .getFixedSize());
  }

  uint32_t piecesOf(Instruction &I) const {
    Value *Address = getLoadStorePointerOperand(&I);
    if (!Address)
      return 1;
    const uint64_t Width =
        F.getParent()->getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedSize();
    return divideCeil(Width, std::min(LargestAccess, alignmentOf(I, Address)));
  }

  /// Whether a value is the same for all work-items: of constants and arguments of the kernel
  /// alone.
  static bool isOfArguments(const Value *V, unsigned Depth = 0) {
    if (isa<Constant>(V))
      return true;
    if (const auto *Given = dyn_cast<Argument>(V))
      return !Given->hasByValAttr();
    const auto *I = dyn_cast<Instruction>(V);
    return I && Depth < MostNested && isa<BinaryOperator, CastInst, CmpInst, SelectInst>(I) &&
           all_of(I->operands(),
                  [&](const Use &Operand) { return isOfArguments(Operand, Depth + 1); });
  }

  static bool storesConstant(const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isOfArguments(Store->getValueOperand());
  }

  /// Whether a load or store is one of the memory model's: atomic_load_explicit, or of an
  /// atomic_ref.
  static bool isStrong(const Instruction &I) { return isa<LoadInst, StoreInst>(I) && I.isAtomic(); }

  static bool releases(const Instruction &I) {
    if (const auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
      return isReleaseOrStronger(Rmw->getOrdering());
    if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      return isReleaseOrStronger(Exchange->getSuccessOrdering());
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isReleaseOrStronger(Store->getOrdering());
  }

  warpscope::SiteInfo describeSite(const Site &Found) const {
    warpscope::SiteInfo Info;
    Info.kind = Found.Kind;
    Info.space = Found.Space;
    Info.width = Found.Width;
    Info.is_volatile = Found.IsVolatile;
    Info.is_streaming = Found.IsStreaming;
    Info.is_read_only = isReadOnlyLoad(Found);
    Info.stores_constant = storesConstant(*Found.Inst);
    Info.releases = releases(*Found.Inst);
    Info.is_strong = isStrong(*Found.Inst);
    Info.operation = Found.Operation;
    SourceLines Lines = sourceLinesOf(*Found.Inst);
    Info.function = Lines.Function;
    Info.locations = Lines.Locations;
    Info.point = Numbers.pointOf(*Found.Inst);
    if (!Found.Address)
      return Info;
    Info.alignment = alignmentOf(*Found.Inst, Found.Address);
    Info.object = Objects.resolve(Found.Address);
    if (auto *Load = dyn_cast<LoadInst>(Found.Inst))
      if (auto Earliest = Motion.earliest(*Load))
        Info.earliest = *Earliest;
    if (Found.Kind != warpscope::AccessKind::Store)
      Info.consumers = Motion.consumers(*Found.Inst);
    return Info;
  }

  Function &F;
  FunctionAnalysisManager &AM;
  SiteOptions Options;
  Numbering Numbers;
  ObjectTable Objects;
  LoadMotion Motion;
  DenseMap<const Loop *, uint32_t> LoopIndex;
  KernelPlan Plan;
};

} // namespace

Numbering numberBlocks(Function &F, FunctionAnalysisManager &AM) {
  Numbering Numbers;
  LoopOrder(AM.getResult<LoopAnalysis>(F), Numbers.Blocks).order(nullptr, &F.getEntryBlock());
  for (BasicBlock *Block : Numbers.Blocks) {
    Numbers.BlockOf[Block] = Numbers.BlockOf.size();
    uint32_t Position = 0;
    for (Instruction &I : *Block)
      Numbers.PositionOf[&I] = Position++;
  }
  return Numbers;
}

KernelPlan describeKernel(Function &F, FunctionAnalysisManager &AM, const SiteOptions &Options) {
  return Describer(F, AM, Options).describe();
}

} // namespace wspasses
