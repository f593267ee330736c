//===- PlacedAccess.h - accesses at constant distances from each other -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PLACEDACCESS_H
#define WARPSCOPE_PASSES_PLACEDACCESS_H

#include <vector>

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace wspasses {

inline constexpr uint64_t RegisterBytes = 4; ///< of a GPU's lane

/// Where an access begins: variable steps from a pointer, then a constant one. Accesses of one
/// place are at constant distances.
struct Place {
  const llvm::Value *Base = nullptr;
  llvm::SmallVector<std::pair<const llvm::Value *, llvm::APInt>, 2> Steps;

  bool operator==(const Place &Other) const { return Base == Other.Base && Steps == Other.Steps; }
};

/// An access at a constant distance from others.
template <class Access> struct PlacedAccess {
  Access *Inst;
  int64_t Offset;
  int64_t Size;

  int64_t end() const { return Offset + Size; }
};

/// `Offset`: the constant step.
Place placeOf(const llvm::Value *Pointer, const llvm::DataLayout &Layout, int64_t &Offset);

/// The address of an `Accessed`, `Offset` bytes behind `Pointer`.
llvm::Value *movedBy(llvm::IRBuilder<> &Builder, llvm::Value *Pointer, int64_t Offset,
                     llvm::Type *Accessed);

template <class Access> using AccessGroup = llvm::SmallVector<PlacedAccess<Access>, 8>;

/// The accesses of a block that are at constant distances, in the order of their offsets.
template <class Access>
std::vector<AccessGroup<Access>> groupsOf(llvm::BasicBlock &Block, const llvm::DataLayout &Layout,
                                          llvm::function_ref<bool(const Access &)> IsTaken) {
  std::vector<Place> Places;
  std::vector<AccessGroup<Access>> Groups;
  for (llvm::Instruction &I : Block) {
    auto *Found = llvm::dyn_cast<Access>(&I);
    if (!Found || !IsTaken(*Found))
      continue;
    int64_t Offset = 0;
    const Place Begin = placeOf(Found->getPointerOperand(), Layout, Offset);
    const size_t Index = llvm::find(Places, Begin) - Places.begin();
    if (Index == Places.size()) {
      Places.push_back(Begin);
      Groups.emplace_back();
    }
    const int64_t Size = Layout.getTypeStoreSize(llvm::getLoadStoreType(Found)).getFixedSize();
    Groups[Index].push_back({Found, Offset, Size});
  }
  for (AccessGroup<Access> &Group : Groups)
    llvm::stable_sort(Group, [](const auto &A, const auto &B) { return A.Offset < B.Offset; });
  return Groups;
}

} // namespace wspasses

#endif
