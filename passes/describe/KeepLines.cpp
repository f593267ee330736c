//===- KeepLines.cpp --------------------------------------------------------===//
#include "passes/describe/KeepLines.h"

#include <memory>
#include <vector>

#include "passes/lower/SourceLines.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Bytes that an access touches, relative to a value that passes rarely replace.
struct Range {
  WeakTrackingVH Base; ///< null if the access does not read (or write)
  int64_t Offset = 0;
  uint64_t Size = 0; ///< in bytes; all bits set for memcpy without a constant size
};

constexpr uint64_t UnknownSize = ~uint64_t{0} >> 1;

Range rangeOf(Value *Pointer, uint64_t Size, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Value *Base =
      Pointer->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue(), Size};
}

bool overlap(const Range &A, const Range &B) {
  return A.Offset < B.Offset + static_cast<int64_t>(B.Size) &&
         B.Offset < A.Offset + static_cast<int64_t>(A.Size);
}

/// Loads of a private copy are not loads of what was copied, although they share a line.
bool isPrivate(const Range &R) { return R.Base && isa<AllocaInst>(getUnderlyingObject(R.Base)); }

/// What an instruction reads or writes.
Range rangeOf(Instruction &I, LineRole Role) {
  const DataLayout &Layout = I.getModule()->getDataLayout();
  if (!(rolesOf(I) & Role))
    return {};
  if (auto *Intrinsic = dyn_cast<MemIntrinsic>(&I)) {
    auto *Length = dyn_cast<ConstantInt>(Intrinsic->getLength());
    const uint64_t Size = Length ? Length->getZExtValue() : UnknownSize;
    auto *Transfer = dyn_cast<MemTransferInst>(Intrinsic);
    return rangeOf(Role == ReadsLine && Transfer ? Transfer->getRawSource()
                                                 : Intrinsic->getRawDest(),
                   Size, Layout);
  }
  Type *Accessed = I.getType();
  if (auto *Store = dyn_cast<StoreInst>(&I))
    Accessed = Store->getValueOperand()->getType();
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Accessed = Exchange->getNewValOperand()->getType();
  Value *Pointer = isa<AtomicRMWInst>(I)       ? cast<AtomicRMWInst>(I).getPointerOperand()
                   : isa<AtomicCmpXchgInst>(I) ? cast<AtomicCmpXchgInst>(I).getPointerOperand()
                                               : getLoadStorePointerOperand(&I);
  return rangeOf(Pointer, Layout.getTypeStoreSize(Accessed).getFixedSize(), Layout);
}

/// An access as it was before a pass.
struct Remembered {
  explicit Remembered(Instruction &I)
      : Inst(&I), Marks(marksOf(I)), Location(I.getDebugLoc()), Read(rangeOf(I, ReadsLine)),
        Written(rangeOf(I, WritesLine)) {}

  const Range &range(LineRole Role) const { return Role == ReadsLine ? Read : Written; }
  bool isGone() const { return !Inst; }

  WeakVH Inst;
  MDNode *Marks;
  const DILocation *Location;
  Range Read, Written;
};

class Snapshot {
public:
  void add(Function &F) {
    for (Instruction &I : instructions(F))
      if (marksOf(I))
        Accesses.emplace_back(I);
  }

  void restore(Function &F) {
    if (Accesses.empty())
      return;
    for (Instruction &I : instructions(F))
      if (rolesOf(I) && !marksOf(I))
        restore(I);
  }

private:
  /// Passes keep few accesses without a mark, so the index is only built for the first.
  void index() {
    if (Indexed)
      return;
    Indexed = true;
    for (const Remembered &Access : Accesses) {
      if (!Access.isGone())
        ByInstruction[Access.Inst] = &Access;
      for (LineRole Role : {ReadsLine, WritesLine})
        if (const Range &R = Access.range(Role); R.Base)
          ByBase[R.Base].push_back(&Access);
      ByLocation[Access.Location].push_back(&Access);
    }
  }

  void restore(Instruction &I) {
    index();
    if (const Remembered *Same = ByInstruction.lookup(&I))
      return addMarks(I, *Same->Marks, ReadsLine | WritesLine);
    for (LineRole Role : {ReadsLine, WritesLine})
      if (rolesOf(I) & Role)
        restore(I, Role);
  }

  /// Tries the surest evidence first.
  void restore(Instruction &I, LineRole Role) {
    const Range R = rangeOf(I, Role);
    if (fromRange(I, R, Role, /*Gone=*/true) || fromLocation(I, R, Role, /*Gone=*/true) ||
        fromObject(I, R, Role) || fromLocation(I, R, Role, /*Gone=*/false))
      return;
    fromRange(I, R, Role, /*Gone=*/false);
  }

  bool fromRange(Instruction &I, const Range &R, LineRole Role, bool Gone) const {
    bool Found = false;
    for (const Remembered *Access : ByBase.lookup(R.Base)) {
      const Range &Old = Access->range(Role);
      if (Access->isGone() != Gone || Old.Base != R.Base || !overlap(Old, R))
        continue;
      addMarks(I, *Access->Marks, Role);
      Found = true;
    }
    return Found;
  }

  /// A part of what vanished, at an offset that is not constant.
  bool fromObject(Instruction &I, const Range &R, LineRole Role) const {
    const DataLayout &Layout = I.getModule()->getDataLayout();
    for (auto *Element = dyn_cast<GetElementPtrInst>(R.Base); Element;) {
      Range Whole = rangeOf(Element->getPointerOperand(), UnknownSize, Layout);
      if (fromRange(I, {Whole.Base, 0, UnknownSize}, Role, /*Gone=*/true))
        return true;
      Element = dyn_cast<GetElementPtrInst>(Whole.Base);
    }
    return false;
  }

  bool fromLocation(Instruction &I, const Range &R, LineRole Role, bool Gone) const {
    bool Found = false;
    if (const DILocation *Location = I.getDebugLoc())
      for (const Remembered *Access : ByLocation.lookup(Location)) {
        const Range &Old = Access->range(Role);
        if (Access->isGone() != Gone || !Old.Base || isPrivate(Old) != isPrivate(R))
          continue;
        addMarks(I, *Access->Marks, Role);
        Found = true;
      }
    return Found;
  }

  std::vector<Remembered> Accesses;
  bool Indexed = false;
  DenseMap<const Value *, const Remembered *> ByInstruction;
  DenseMap<const Value *, std::vector<const Remembered *>> ByBase;
  DenseMap<const DILocation *, std::vector<const Remembered *>> ByLocation;
};

/// The functions of what a pass runs on; null for call graphs, and for loops, whose passes are
/// watched together.
template <typename Visitor> bool forEachFunction(const Any &IR, const Visitor &Visit) {
  // The callbacks get constant IR although passes are free to change it.
  if (any_isa<const Function *>(IR)) {
    Visit(*const_cast<Function *>(any_cast<const Function *>(IR)));
    return true;
  }
  if (!any_isa<const Module *>(IR))
    return false;
  for (Function &F : *const_cast<Module *>(any_cast<const Module *>(IR)))
    Visit(F);
  return true;
}

/// Pass managers and adaptors run other passes, which are watched one by one; the last pass takes
/// all marks away.
bool isUnwatched(StringRef Pass) {
  if (Pass.endswith("::InstrumentPass"))
    return true;
  return !Pass.startswith("FunctionToLoopPassAdaptor") &&
         isSpecialPass(Pass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy",
                              "ModuleInlinerWrapperPass", "DevirtSCCRepeatedPass"});
}

} // namespace

void keepSourceLines(PassInstrumentationCallbacks &Callbacks) {
  auto Snapshots = std::make_shared<std::vector<Snapshot>>();
  Callbacks.registerBeforeNonSkippedPassCallback([Snapshots](StringRef Pass, const Any &IR) {
    if (isUnwatched(Pass))
      return;
    Snapshot Now;
    if (forEachFunction(IR, [&](Function &F) { Now.add(F); }))
      Snapshots->push_back(std::move(Now));
  });
  Callbacks.registerAfterPassCallback(
      [Snapshots](StringRef Pass, const Any &IR, const PreservedAnalyses &) {
        if (isUnwatched(Pass) || Snapshots->empty())
          return;
        if (forEachFunction(IR, [&](Function &F) { Snapshots->back().restore(F); }))
          Snapshots->pop_back();
      });
}

} // namespace wspasses
