//===- Strides.h - how values change from work-item to work-item --*- C++ -*-===//
//
// Of a value v of n bits that differs between the work-items of a box, code is inserted that
// computes three strides of the same type: v(x, y, z) = v(origin) + Σ stride[d] * (position[d] -
// origin[d]), modulo 2^n. Sums and products keep that by themselves. What looks at more than the
// lowest n bits (extensions, comparisons, divisions) needs the values themselves to be in a range:
// code is inserted that checks the two extremes of the box, which is enough for an affine function.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_STRIDES_H
#define WARPSCOPE_PASSES_STRIDES_H

#include "passes/RuntimeABI.h"
#include "passes/record/Affine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace wspasses {

/// Null = 0: the same for all work-items along this dimension.
using Strides = std::array<llvm::Value *, 3>;

/// A box of work-items: its lowest local id, and how far it reaches beyond, 0 = one work-item.
struct BoxValues {
  std::array<llvm::Value *, 3> Origin, Reach; ///< i64
};

class StrideBuilder {
public:
  /// `Violated`: an i32 in memory, where a failing check sets the bits of the dimensions along
  /// which what it looks at changes, and bit 3.
  StrideBuilder(const BoxValues &Box, llvm::AllocaInst *Violated) : Box(Box), Violated(Violated) {}

  /// Inserts what computes the strides of I behind it; its operands' strides are known, but for
  /// those of a phi, which complete() adds. A call of a work-item function is replaced.
  void add(llvm::Instruction &I, WorkItemValue Kind, bool IsVarying);
  void complete();
  /// Inserts the check that a switch goes one way.
  void checkSwitch(llvm::SwitchInst &Switch);
  /// All null for a value that does not vary. Of pointers: 64 bits, in bytes.
  Strides of(const llvm::Value *V) const;

private:
  struct Wide; ///< a value and its strides, in a type that the box's extremes fit in

  void addWorkItemCall(llvm::Instruction &I, WorkItemValue Kind);
  Strides stridesOf(llvm::IRBuilder<> &Builder, llvm::Instruction &I);
  Strides ofAddress(llvm::IRBuilder<> &Builder, llvm::GetElementPtrInst &Address);
  Strides ofExtension(llvm::IRBuilder<> &Builder, llvm::CastInst &Cast);
  Strides ofSelect(llvm::IRBuilder<> &Builder, llvm::Value *Condition, llvm::Value *A,
                   llvm::Value *B);
  Strides ofDivision(llvm::IRBuilder<> &Builder, const Division &Found);
  Strides ofPhi(llvm::PHINode &Phi);
  void checkComparison(llvm::IRBuilder<> &Builder, llvm::CmpInst::Predicate Predicate,
                       llvm::Value *A, llvm::Value *B);

  template <class Combine> Strides each(const Strides &A, const Strides &B, Combine How) const;
  template <class Change> Strides each(const Strides &A, Change How) const;
  Strides product(llvm::IRBuilder<> &Builder, const Strides &A, llvm::Value *Factor) const;
  Strides sum(llvm::IRBuilder<> &Builder, const Strides &A, const Strides &B) const;
  Wide widen(llvm::IRBuilder<> &Builder, llvm::Value *V, bool IsSigned) const;
  std::pair<llvm::Value *, llvm::Value *> extremes(llvm::IRBuilder<> &Builder, const Wide &W) const;
  void checkRange(llvm::IRBuilder<> &Builder, const Wide &W, unsigned Bits, bool IsSigned);
  void require(llvm::IRBuilder<> &Builder, llvm::Value *Condition, const Strides &Along = {});

  BoxValues Box;
  llvm::AllocaInst *Violated;
  llvm::DenseMap<const llvm::Value *, Strides> Known;
  std::vector<std::pair<llvm::PHINode *, Strides>> Phis;
};

} // namespace wspasses

#endif
