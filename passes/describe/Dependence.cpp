//===- Dependence.cpp -------------------------------------------------------===//
#include "passes/describe/Dependence.h"

#include <algorithm>

#include "passes/describe/Clamps.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

/// The pointer that an instruction writes through, null if it may write anywhere.
const Value *writtenPointer(const Instruction &I) {
  if (const Value *Pointer = getLoadStorePointerOperand(&I))
    return Pointer;
  if (const auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
    return isStrongerThanMonotonic(Rmw->getOrdering()) ? nullptr : Rmw->getPointerOperand();
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return isStrongerThanMonotonic(Exchange->getMergedOrdering()) ? nullptr
                                                                  : Exchange->getPointerOperand();
  // OpenCL 1.x atomics are relaxed and touch what their first argument points to.
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (Optional<BuiltinName> Name = calledBuiltin(*Call))
      if ((Name->Base.startswith("atomic_") || Name->Base.startswith("atom_")) &&
          Call->arg_size() > 0)
        return Call->getArgOperand(0);
  return nullptr;
}

bool areDisjointSpaces(const Value *A, const Value *B) {
  const unsigned SpaceA = A->getType()->getPointerAddressSpace(),
                 SpaceB = B->getType()->getPointerAddressSpace();
  return SpaceA != SpaceB && SpaceA != GenericSpace && SpaceB != GenericSpace;
}

/// One use of a value after transparent instructions were looked through.
struct Consumer {
  const Instruction *User;
  const BasicBlock *Incoming; ///< if not null, a phi uses it at the end of this block
};

void collectConsumers(const Instruction &Value, SmallPtrSetImpl<const Instruction *> &Seen,
                      SmallVectorImpl<Consumer> &Result) {
  for (const Use &U : Value.uses()) {
    const auto *User = cast<Instruction>(U.getUser());
    if (const auto *Phi = dyn_cast<PHINode>(User))
      Result.push_back({Phi, Phi->getIncomingBlock(U)});
    else if (!isTransparent(*User))
      Result.push_back({User, nullptr});
    else if (Seen.insert(User).second)
      collectConsumers(*User, Seen, Result);
  }
}

} // namespace

warpscope::ProgramPoint Numbering::pointOf(const Instruction &I) const {
  return {warpscope::BlockId(BlockOf.lookup(I.getParent())), PositionOf.lookup(&I)};
}

warpscope::ProgramPoint Numbering::endOf(const BasicBlock &Block) const {
  return {warpscope::BlockId(BlockOf.lookup(&Block)), static_cast<uint32_t>(Block.size())};
}

bool isTransparent(const Instruction &I) {
  if (const auto *Address = dyn_cast<GetElementPtrInst>(&I))
    return Address->hasAllConstantIndices();
  if (isClamp(I))
    return true;
  return isa<BitCastInst, AddrSpaceCastInst, PtrToIntInst, IntToPtrInst, ExtractElementInst,
             InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst, FreezeInst>(
      I);
}

LoadMotion::LoadMotion(Function &F, FunctionAnalysisManager &AM, const Numbering &Numbers)
    : Numbers(Numbers), Dominators(AM.getResult<DominatorTreeAnalysis>(F)),
      Memory(AM.getResult<MemorySSAAnalysis>(F).getMSSA()) {}

/// Both dominate the load, so one dominates the other.
const Instruction *LoadMotion::later(const Instruction *A, const Instruction *B) const {
  if (!A || !B)
    return A ? A : B;
  return Dominators.dominates(A, B) ? B : A;
}

/// Arithmetic could move up with the load; phis, loads and calls bind it.
const Instruction *LoadMotion::lastOperand(const Value *V) const {
  const Instruction *Last = nullptr;
  SmallVector<const Value *, 8> Work{V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (isa<PHINode, CallBase>(I) || I->mayReadOrWriteMemory())
      Last = later(Last, I);
    else
      append_range(Work, I->operand_values());
  }
  return Last;
}

const MemoryAccess *LoadMotion::clobber(LoadInst &Load) const {
  const MemoryLocation Location = MemoryLocation::get(&Load);
  MemoryAccess *Access = Memory.getMemoryAccess(&Load)->getDefiningAccess();
  for (;;) {
    Access = Memory.getWalker()->getClobberingMemoryAccess(Access, Location);
    const auto *Def = dyn_cast<MemoryDef>(Access);
    if (!Def || Memory.isLiveOnEntryDef(Def))
      return Access;
    const Value *Written = writtenPointer(*Def->getMemoryInst());
    if (!Written || !areDisjointSpaces(Written, Load.getPointerOperand()))
      return Access;
    Access = Def->getDefiningAccess();
  }
}

warpscope::ProgramPoint LoadMotion::after(const Instruction &I) const {
  if (isa<PHINode>(I))
    return Numbers.pointOf(*I.getParent()->getFirstNonPHI());
  warpscope::ProgramPoint Point = Numbers.pointOf(I);
  ++Point.position;
  return Point;
}

Optional<warpscope::ProgramPoint> LoadMotion::earliest(LoadInst &Load) const {
  if (!Load.isUnordered())
    return Numbers.pointOf(Load);
  const Instruction *Bound = lastOperand(Load.getPointerOperand());
  // Nothing writes constant memory while a kernel runs, whatever barriers say.
  const bool IsConstant = Load.getPointerAddressSpace() == ConstantSpace;
  const MemoryAccess *Clobber = IsConstant ? Memory.getLiveOnEntryDef() : clobber(Load);
  if (const auto *Phi = dyn_cast<MemoryPhi>(Clobber)) {
    // Memory that differs by path: the load stays behind the join.
    const BasicBlock *Join = Phi->getBlock();
    if (!Bound || !Dominators.dominates(Join, Bound->getParent()))
      return Numbers.pointOf(*Join->getFirstNonPHI());
  } else if (!Memory.isLiveOnEntryDef(Clobber)) {
    Bound = later(Bound, cast<MemoryDef>(Clobber)->getMemoryInst());
  }
  if (!Bound)
    return None;
  return after(*Bound);
}

const Instruction *LoadMotion::writerInBlock(LoadInst &Load) const {
  if (Load.getPointerAddressSpace() == ConstantSpace)
    return nullptr;
  const auto *Def = dyn_cast<MemoryDef>(clobber(Load));
  if (!Def || Memory.isLiveOnEntryDef(Def) || Def->getBlock() != Load.getParent())
    return nullptr;
  return Def->getMemoryInst();
}

std::vector<warpscope::ProgramPoint> LoadMotion::consumers(const Instruction &Value) const {
  SmallPtrSet<const Instruction *, 8> Seen;
  SmallVector<Consumer, 8> All;
  collectConsumers(Value, Seen, All);
  auto Anchor = [](const Consumer &C) { return C.Incoming ? C.Incoming->getTerminator() : C.User; };
  std::vector<warpscope::ProgramPoint> Points;
  for (const Consumer &C : All) {
    const bool Later = any_of(All, [&](const Consumer &Other) {
      return Anchor(Other) != Anchor(C) && Dominators.dominates(Anchor(Other), Anchor(C));
    });
    if (!Later)
      Points.push_back(C.Incoming ? Numbers.endOf(*C.Incoming) : Numbers.pointOf(*C.User));
  }
  auto Key = [](const warpscope::ProgramPoint &P) { return std::pair(P.block, P.position); };
  std::sort(Points.begin(), Points.end(),
            [&](const auto &A, const auto &B) { return Key(A) < Key(B); });
  Points.erase(std::unique(Points.begin(), Points.end(),
                           [&](const auto &A, const auto &B) { return Key(A) == Key(B); }),
               Points.end());
  return Points;
}

} // namespace wspasses
