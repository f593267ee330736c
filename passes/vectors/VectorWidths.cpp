//===- VectorWidths.cpp -----------------------------------------------------===//
#include "passes/vectors/VectorWidths.h"

#include <bitset>

#include "passes/lower/LowerBuiltins.h"
#include "passes/vectors/PlacedAccess.h"
#include "passes/vectors/StorePairs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t WidestLoad = 16, WidestConstantLoad = 8; ///< bytes
constexpr uint64_t LargestVector = 128;                     ///< bytes of OpenCL's double16

using ElementSet = std::bitset<LargestVector>; ///< of a vector
using ByteSet = std::bitset<LargestVector>;

/// Bytes of a vector that one load fetches.
struct LoadPart {
  uint64_t Offset, Size;
};

/// Registers that ptxas leaves together: a half or all of four of which three are used.
void addRegisters(const ByteSet &Used, uint64_t From, uint64_t Size,
                  SmallVectorImpl<LoadPart> &Parts) {
  SmallVector<uint64_t, 4> Registers;
  for (uint64_t At = From; At < From + Size; At += RegisterBytes)
    for (uint64_t I = At; I < At + RegisterBytes; ++I)
      if (Used[I]) {
        Registers.push_back((At - From) / RegisterBytes);
        break;
      }
  const bool OneHalf =
      Registers.size() == 2 && Registers[0] % 2 == 0 && Registers[1] == Registers[0] + 1;
  if (Registers.size() > 2) {
    Parts.push_back({From, Size});
  } else if (OneHalf) {
    Parts.push_back({From + Registers[0] * RegisterBytes, 2 * RegisterBytes});
  } else {
    for (uint64_t Register : Registers)
      Parts.push_back({From + Register * RegisterBytes, RegisterBytes});
  }
}

/// The loads that machine code has for `Size` bytes, of which some are used, in aligned pieces.
SmallVector<LoadPart, 8> partsOf(const ByteSet &Used, uint64_t Size, uint64_t PieceSize,
                                 uint64_t ElementSize) {
  SmallVector<LoadPart, 8> Parts;
  for (uint64_t From = 0; From < Size; From += PieceSize) {
    SmallVector<uint64_t, 16> Found;
    for (uint64_t At = From; At < std::min(From + PieceSize, Size); At += ElementSize)
      if (Used[At])
        Found.push_back(At);
    if (Found.size() == 1)
      Parts.push_back({Found[0], ElementSize});
    else if (!Found.empty() && PieceSize <= RegisterBytes)
      Parts.push_back({From, PieceSize});
    else if (!Found.empty())
      addRegisters(Used, From, PieceSize, Parts);
  }
  for (LoadPart &P : Parts) // vectors of three
    P.Size = std::min(P.Size, Size - P.Offset);
  return Parts;
}

bool accessesMemory(unsigned Space) {
  return Space == PrivateSpace || Space == GlobalSpace || Space == ConstantSpace ||
         Space == LocalSpace || Space == GenericSpace;
}

bool isStructParameter(const Value *Address) {
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(Address));
  return A && A->hasByValAttr();
}

uint64_t widestLoad(const LoadInst &Load) {
  return Load.getPointerAddressSpace() == ConstantSpace ? WidestConstantLoad : WidestLoad;
}

uint64_t pieceSize(const LoadInst &Load) {
  return std::min<uint64_t>(Load.getAlign().value(), widestLoad(Load));
}

unsigned countOf(const Type *T) {
  const auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? Vector->getNumElements() : 1;
}

/// Elements of a vector that anything needs.
ElementSet neededOf(const Value &Vector) {
  ElementSet Needed;
  const unsigned Count = countOf(Vector.getType());
  for (const User *U : Vector.users()) {
    if (const auto *Extract = dyn_cast<ExtractElementInst>(U);
        Extract && isa<ConstantInt>(Extract->getIndexOperand())) {
      const uint64_t Index = cast<ConstantInt>(Extract->getIndexOperand())->getZExtValue();
      Needed[std::min<uint64_t>(Index, Count - 1)] = true;
    } else if (const auto *Shuffle = dyn_cast<ShuffleVectorInst>(U)) {
      const ElementSet After = neededOf(*Shuffle);
      const ArrayRef<int> Mask = Shuffle->getShuffleMask();
      for (unsigned I = 0; I < Mask.size(); ++I)
        for (unsigned Operand : {0u, 1u})
          if (After[I] && Shuffle->getOperand(Operand) == &Vector &&
              Mask[I] >= int(Operand * Count) && Mask[I] < int((Operand + 1) * Count))
            Needed[Mask[I] - Operand * Count] = true;
    } else {
      for (unsigned I = 0; I < Count; ++I)
        Needed[I] = true;
    }
  }
  return Needed;
}

ByteSet bytesOf(const ElementSet &Needed, uint64_t ElementSize, uint64_t Shift = 0) {
  ByteSet Result;
  for (uint64_t I = 0; I < LargestVector; ++I)
    if (Needed[I])
      for (uint64_t B = 0; B < ElementSize && Shift + I * ElementSize + B < LargestVector; ++B)
        Result[Shift + I * ElementSize + B] = true;
  return Result;
}

Type *vectorOf(Type *Element, uint64_t Count) {
  return Count == 1 ? Element : FixedVectorType::get(Element, Count);
}

/// Loads in place of a wider or a narrower one, whose elements replace the old one's.
class LoadReplacement {
public:
  explicit LoadReplacement(LoadInst &Old) : Old(Old) {}

  /// `New` has the element that was the old one's `First`, and those after it.
  void add(Value *New, int64_t First) { Pieces.push_back({New, First}); }

  void finish() {
    for (User *U : make_early_inc_range(Old.users()))
      if (auto *Extract = dyn_cast<ExtractElementInst>(U))
        if (auto *Index = dyn_cast<ConstantInt>(Extract->getIndexOperand())) {
          IRBuilder<> Builder(Extract);
          Extract->replaceAllUsesWith(element(Builder, Index->getZExtValue()));
          Extract->eraseFromParent();
        }
    if (!Old.use_empty()) {
      IRBuilder<> Builder(&Old);
      Old.replaceAllUsesWith(whole(Builder));
    }
    Old.eraseFromParent();
  }

private:
  struct Piece {
    Value *Loaded;
    int64_t First;
  };

  Value *element(IRBuilder<> &Builder, int64_t Index) {
    for (const Piece &P : Pieces)
      if (Index >= P.First && Index < P.First + int64_t(countOf(P.Loaded->getType())))
        return P.Loaded->getType()->isVectorTy()
                   ? Builder.CreateExtractElement(P.Loaded, Index - P.First)
                   : P.Loaded;
    return PoisonValue::get(Old.getType()->getScalarType());
  }

  /// Behind the pieces: they were all built before the old load.
  Value *whole(IRBuilder<> &Builder) {
    if (!Old.getType()->isVectorTy())
      return element(Builder, 0);
    Value *Vector = PoisonValue::get(Old.getType());
    for (unsigned I = 0; I < countOf(Old.getType()); ++I)
      Vector = Builder.CreateInsertElement(Vector, element(Builder, I), I);
    return Vector;
  }

  LoadInst &Old;
  SmallVector<Piece, 8> Pieces;
};

/// Loads that a pass may make wider or narrower.
bool isPlain(const LoadInst &Load, const DataLayout &Layout) {
  Type *Scalar = Load.getType()->getScalarType();
  return Load.isSimple() && accessesMemory(Load.getPointerAddressSpace()) &&
         (Scalar->isIntegerTy() || Scalar->isFloatingPointTy()) &&
         Layout.getTypeSizeInBits(Scalar) == Layout.getTypeStoreSizeInBits(Scalar) &&
         isPowerOf2_64(Layout.getTypeStoreSize(Scalar)) &&
         Layout.getTypeStoreSize(Load.getType()) <= LargestVector &&
         !isStructParameter(Load.getPointerOperand());
}

bool narrow(LoadInst &Load, const DataLayout &Layout) {
  if (!Load.getType()->isVectorTy() || !isPlain(Load, Layout))
    return false;
  Type *Element = Load.getType()->getScalarType();
  const uint64_t ElementSize = Layout.getTypeStoreSize(Element);
  const unsigned Count = countOf(Load.getType());
  const ElementSet Needed = neededOf(Load);
  if (Needed.count() == Count || Needed.none() || pieceSize(Load) < ElementSize)
    return false;
  const auto Parts =
      partsOf(bytesOf(Needed, ElementSize), Count * ElementSize, pieceSize(Load), ElementSize);
  if (Parts.size() == 1 && Parts[0].Size == Count * ElementSize)
    return false;
  IRBuilder<> Builder(&Load);
  LoadReplacement New(Load);
  for (const LoadPart &P : Parts) {
    Type *Loaded = vectorOf(Element, P.Size / ElementSize);
    LoadInst *Piece = Builder.CreateAlignedLoad(
        Loaded, movedBy(Builder, Load.getPointerOperand(), P.Offset, Loaded),
        commonAlignment(Load.getAlign(), P.Offset));
    Piece->copyMetadata(Load);
    New.add(Piece, P.Offset / ElementSize);
  }
  New.finish();
  return true;
}

/// Joins loads that begin where an aligned wider one would.
class LoadGaps {
public:
  LoadGaps(const DataLayout &Layout, AAResults &Aliases) : Layout(Layout), Aliases(Aliases) {}

  bool fill(BasicBlock &Block) {
    bool Changed = false;
    auto IsTaken = [&](const LoadInst &Load) {
      return isPlain(Load, Layout) && hasOwnAlignment(Load);
    };
    for (const AccessGroup<LoadInst> &Group : groupsOf<LoadInst>(Block, Layout, IsTaken))
      for (size_t First = 0; First + 1 < Group.size(); ++First)
        if (const size_t Joined = joinFrom(makeArrayRef(Group).drop_front(First))) {
          First += Joined - 1;
          Changed = true;
        }
    return Changed;
  }

private:
  using Load = PlacedAccess<LoadInst>;

  /// Whether it is the program's, which NVIDIA's compiler sees, too.
  static bool hasOwnAlignment(const LoadInst &Load) {
    const auto *Object = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
    const unsigned Space = Load.getPointerAddressSpace();
    return Space != ConstantSpace && Space != PrivateSpace &&
           !(Object && Object->hasMetadata(RaisedAlignment));
  }

  /// How many loads became one that begins with the first.
  size_t joinFrom(ArrayRef<Load> Loads) {
    const Load &First = Loads.front();
    for (int64_t Size = pieceSize(*First.Inst); Size > First.Size; Size /= 2) {
      const auto Inside = Loads.take_while(
          [&](const Load &L) { return L.end() <= First.Offset + Size && areAlike(L, First); });
      if (Inside.size() < 2 || !saves(Inside, Size) || !mayMove(Inside))
        continue;
      join(Inside, Size);
      return Inside.size();
    }
    return 0;
  }

  static bool areAlike(const Load &A, const Load &B) {
    return A.Inst->getType()->getScalarType() == B.Inst->getType()->getScalarType() &&
           A.Inst->hasMetadata(LLVMContext::MD_nontemporal) ==
               B.Inst->hasMetadata(LLVMContext::MD_nontemporal);
  }

  uint64_t elementSize(const Load &L) const {
    return Layout.getTypeStoreSize(L.Inst->getType()->getScalarType());
  }

  bool saves(ArrayRef<Load> Loads, int64_t Size) const {
    const uint64_t ElementSize = elementSize(Loads[0]);
    ByteSet Used;
    for (const Load &L : Loads) {
      const int64_t Shift = L.Offset - Loads[0].Offset;
      if (Shift % int64_t(ElementSize))
        return false;
      Used |= bytesOf(L.Inst->getType()->isVectorTy() ? neededOf(*L.Inst) : ElementSet(1),
                      ElementSize, Shift);
    }
    return partsOf(Used, Size, Size, ElementSize).size() < Loads.size();
  }

  static Load earliest(ArrayRef<Load> Loads) {
    return *std::min_element(Loads.begin(), Loads.end(), [](const Load &A, const Load &B) {
      return A.Inst->comesBefore(B.Inst);
    });
  }

  /// Whether nothing between the first load and any other may store to what the other reads.
  bool mayMove(ArrayRef<Load> Loads) {
    const Load Begin = earliest(Loads);
    return all_of(Loads, [&](const Load &L) {
      const MemoryLocation Read = MemoryLocation::get(L.Inst);
      for (Instruction *I = Begin.Inst; I != L.Inst; I = I->getNextNode())
        if (I->mayWriteToMemory() && isModSet(Aliases.getModRefInfo(I, Read)))
          return false;
      return true;
    });
  }

  void join(ArrayRef<Load> Loads, int64_t Size) {
    const Load Begin = earliest(Loads);
    const uint64_t ElementSize = elementSize(Begin);
    Type *Wide = vectorOf(Begin.Inst->getType()->getScalarType(), Size / ElementSize);
    IRBuilder<> Builder(Begin.Inst);
    LoadInst *New = Builder.CreateAlignedLoad(
        Wide,
        movedBy(Builder, Begin.Inst->getPointerOperand(), Loads[0].Offset - Begin.Offset, Wide),
        Loads[0].Inst->getAlign());
    if (MDNode *Streaming = Begin.Inst->getMetadata(LLVMContext::MD_nontemporal))
      New->setMetadata(LLVMContext::MD_nontemporal, Streaming);
    for (const Load &L : Loads) {
      LoadReplacement Old(*L.Inst);
      Old.add(New, (Loads[0].Offset - L.Offset) / int64_t(ElementSize));
      Old.finish();
    }
  }

  const DataLayout &Layout;
  AAResults &Aliases;
};

} // namespace

PreservedAnalyses VectorWidthsPass::run(Function &F, FunctionAnalysisManager &AM) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  AAResults &Aliases = AM.getResult<AAManager>(F);
  bool Changed = false;
  for (BasicBlock &Block : F) {
    Changed |= LoadGaps(Layout, Aliases).fill(Block);
    Changed |= joinStorePairs(Block, Layout, Aliases);
  }
  SmallVector<LoadInst *, 32> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Loads.push_back(Load);
  for (LoadInst *Load : Loads)
    Changed |= narrow(*Load, Layout);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace wspasses
