//===- WholeVectors.cpp -----------------------------------------------------===//
#include "passes/vectors/VectorWidths.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t LargestStructCopy = 128; ///< bytes; longer copies become loops (ExpandMemory.h)
constexpr uint64_t LargestPieceOfCopy = 16;

/// A scalar inside what is copied.
struct CopiedLeaf {
  uint64_t Offset;
  uint64_t Bytes;
  Type *Scalar;
};

/// Appends the scalars of a type; false if it has one without a fixed number of bytes.
bool addLeaves(Type *T, uint64_t Offset, const DataLayout &Layout,
               SmallVectorImpl<CopiedLeaf> &Leaves) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Places = Layout.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      if (!addLeaves(Struct->getElementType(I), Offset + Places->getElementOffset(I), Layout,
                     Leaves))
        return false;
    return true;
  }
  if (isa<ArrayType, FixedVectorType>(T)) {
    Type *Element = T->getContainedType(0);
    const uint64_t Count =
        isa<ArrayType>(T) ? T->getArrayNumElements() : cast<FixedVectorType>(T)->getNumElements();
    const uint64_t Step = Layout.getTypeAllocSize(Element);
    for (uint64_t I = 0; I < Count && Leaves.size() <= LargestStructCopy; ++I)
      if (!addLeaves(Element, Offset + I * Step, Layout, Leaves))
        return false;
    return true;
  }
  if (!T->isSized() || Layout.getTypeSizeInBits(T) != Layout.getTypeStoreSizeInBits(T))
    return false;
  Leaves.push_back({Offset, Layout.getTypeStoreSize(T), T});
  return true;
}

/// One access to the memory that is not private.
struct CopiedPiece {
  uint64_t Offset;
  Type *Element;
  unsigned Count;
  SmallVector<bool, 16> IsPadding; ///< per element

  Type *type() const {
    return Count == 1 ? Element : static_cast<Type *>(FixedVectorType::get(Element, Count));
  }
};

/// The piece of `Bytes` at `Offset`; nothing if its scalars are not parts of one vector.
Optional<CopiedPiece> pieceAt(uint64_t Offset, uint64_t Bytes, ArrayRef<CopiedLeaf> Leaves) {
  Type *Element = nullptr;
  uint64_t Step = Bytes;
  bool AllAlike = true;
  SmallVector<CopiedLeaf, 16> Inside;
  for (const CopiedLeaf &L : Leaves) {
    if (L.Offset + L.Bytes <= Offset || L.Offset >= Offset + Bytes)
      continue;
    if (L.Offset < Offset || L.Offset + L.Bytes > Offset + Bytes)
      return None;
    AllAlike &= !Element || Element == L.Scalar;
    Element = L.Scalar;
    Step = std::min(Step, L.Bytes);
    Inside.push_back(L);
  }
  if (!Element || (Element->isPointerTy() && Step < Bytes))
    return None;
  CopiedPiece Result{Offset, Element, static_cast<unsigned>(Bytes / Step), {}};
  if (!AllAlike)
    Result.Element = Type::getIntNTy(Element->getContext(), Step * 8);
  Result.IsPadding.assign(Result.Count, true);
  for (const CopiedLeaf &L : Inside) {
    if (L.Scalar->isPointerTy() && !AllAlike)
      return None;
    if (!isPowerOf2_64(L.Bytes) || (L.Offset - Offset) % Step)
      return None;
    for (uint64_t At = L.Offset - Offset; At < L.Offset - Offset + L.Bytes; At += Step)
      Result.IsPadding[At / Step] = false;
  }
  return Result;
}

/// The struct that a pointer to bytes was made from, if it has that size.
Type *copiedType(const Value *Pointer, uint64_t Size, const DataLayout &Layout) {
  auto *Type = dyn_cast<PointerType>(Pointer->stripPointerCasts()->getType());
  if (!Type || Type->isOpaque())
    return nullptr;
  llvm::Type *Pointee = Type->getNonOpaquePointerElementType();
  return Pointee->isSized() && Layout.getTypeAllocSize(Pointee) == Size ? Pointee : nullptr;
}

/// Takes a copy apart: memory that is not private is accessed by pieces, variables by elements, so
/// that they get into registers as scalars.
class StructCopy {
public:
  explicit StructCopy(MemTransferInst &Transfer)
      : Transfer(Transfer), Layout(Transfer.getModule()->getDataLayout()), Builder(&Transfer) {}

  bool expand() {
    const auto *Length = dyn_cast<ConstantInt>(Transfer.getLength());
    const bool ToVariable = isVariable(Transfer.getDest());
    const bool FromVariable = isVariable(Transfer.getSource());
    if (!Length || Transfer.isVolatile() || (ToVariable && FromVariable) ||
        isParameter(Transfer.getSource()) || !findPieces(Length->getZExtValue()))
      return false;
    SmallVector<Value *, 8> Values;
    for (const CopiedPiece &P : Pieces)
      Values.push_back(load(P, FromVariable));
    for (size_t I = 0; I < Pieces.size(); ++I)
      store(Values[I], Pieces[I], ToVariable);
    return true;
  }

private:
  static bool isVariable(const Value *Pointer) {
    return isa<AllocaInst>(getUnderlyingObject(Pointer));
  }

  static bool isParameter(const Value *Pointer) {
    const auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer));
    return A && A->hasByValAttr();
  }

  bool findPieces(uint64_t Size) {
    const Align Both =
        std::min(Transfer.getSourceAlign().valueOrOne(), Transfer.getDestAlign().valueOrOne());
    const uint64_t Bytes = std::min<uint64_t>(Both.value(), LargestPieceOfCopy);
    Type *Copied = copiedType(Transfer.getSource(), Size, Layout);
    if (!Copied)
      Copied = copiedType(Transfer.getDest(), Size, Layout);
    // Of a struct that asks for no alignment, each member is copied alone.
    if (!Copied || Both.value() <= Layout.getABITypeAlignment(Copied))
      return false;
    SmallVector<CopiedLeaf, 16> Leaves;
    if (Size > LargestStructCopy || Size % Bytes || !addLeaves(Copied, 0, Layout, Leaves))
      return false;
    bool AnyVector = false;
    for (uint64_t Offset = 0; Offset < Size; Offset += Bytes) {
      Optional<CopiedPiece> Found = pieceAt(Offset, Bytes, Leaves);
      if (!Found)
        return false;
      AnyVector |= Found->Count > 1;
      Pieces.push_back(std::move(*Found));
    }
    return AnyVector;
  }

  Value *address(Value *Base, uint64_t Offset, Type *Accessed) {
    const unsigned Space = Base->getType()->getPointerAddressSpace();
    Value *Bytes = Builder.CreateBitCast(Base, Builder.getInt8PtrTy(Space));
    Value *Moved = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Bytes, Offset);
    return Builder.CreateBitCast(Moved, Accessed->getPointerTo(Space));
  }

  Value *load(Value *Base, MaybeAlign Alignment, uint64_t Offset, Type *Accessed) {
    return Builder.CreateAlignedLoad(Accessed, address(Base, Offset, Accessed),
                                     commonAlignment(Alignment.valueOrOne(), Offset));
  }

  void store(Value *Stored, Value *Base, MaybeAlign Alignment, uint64_t Offset) {
    Builder.CreateAlignedStore(Stored, address(Base, Offset, Stored->getType()),
                               commonAlignment(Alignment.valueOrOne(), Offset));
  }

  uint64_t offsetOf(const CopiedPiece &P, unsigned Element) const {
    return P.Offset + Element * Layout.getTypeStoreSize(P.Element).getFixedSize();
  }

  Value *load(const CopiedPiece &P, bool IsVariable) {
    if (!IsVariable || P.Count == 1)
      return load(Transfer.getSource(), Transfer.getSourceAlign(), P.Offset, P.type());
    Value *Vector = PoisonValue::get(P.type());
    for (unsigned I = 0; I < P.Count; ++I)
      if (!P.IsPadding[I])
        Vector = Builder.CreateInsertElement(
            Vector,
            load(Transfer.getSource(), Transfer.getSourceAlign(), offsetOf(P, I), P.Element), I);
    return Vector;
  }

  void store(Value *Stored, const CopiedPiece &P, bool IsVariable) {
    if (!IsVariable || P.Count == 1)
      return store(Stored, Transfer.getDest(), Transfer.getDestAlign(), P.Offset);
    for (unsigned I = 0; I < P.Count; ++I)
      if (!P.IsPadding[I])
        store(Builder.CreateExtractElement(Stored, I), Transfer.getDest(), Transfer.getDestAlign(),
              offsetOf(P, I));
  }

  MemTransferInst &Transfer;
  const DataLayout &Layout;
  IRBuilder<> Builder;
  SmallVector<CopiedPiece, 8> Pieces;
};

/// OpenCL's `p[i].x = f` is a load of the vector, an insertion and a store for clang.
bool storeComponent(StoreInst &Store) {
  auto *Insert = dyn_cast<InsertElementInst>(Store.getValueOperand());
  auto *Whole = Insert ? dyn_cast<LoadInst>(Insert->getOperand(0)) : nullptr;
  auto *Index = Insert ? dyn_cast<ConstantInt>(Insert->getOperand(2)) : nullptr;
  if (!Whole || !Index || !Whole->isSimple() || !Store.isSimple() ||
      Whole->getPointerOperand() != Store.getPointerOperand() ||
      Whole->getParent() != Store.getParent())
    return false;
  for (Instruction *I = Whole->getNextNode(); I != &Store; I = I->getNextNode())
    if (I->mayWriteToMemory())
      return false;
  IRBuilder<> Builder(&Store);
  Type *Vector = Insert->getType(), *Element = Vector->getScalarType();
  Value *Address =
      Builder.CreateInBoundsGEP(Vector, Store.getPointerOperand(), {Builder.getInt64(0), Index});
  const uint64_t Bytes = Store.getModule()->getDataLayout().getTypeStoreSize(Element);
  Builder.CreateAlignedStore(Insert->getOperand(1), Address,
                             commonAlignment(Store.getAlign(), Bytes * Index->getZExtValue()));
  Store.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses WholeVectorsPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<MemTransferInst *, 8> Transfers;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    if (auto *Transfer = dyn_cast<MemTransferInst>(&I))
      Transfers.push_back(Transfer);
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      Stores.push_back(Store);
  }
  bool Changed = false;
  for (MemTransferInst *Transfer : Transfers)
    if (StructCopy(*Transfer).expand()) {
      Transfer->eraseFromParent();
      Changed = true;
    }
  for (StoreInst *Store : Stores)
    Changed |= storeComponent(*Store);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace wspasses
