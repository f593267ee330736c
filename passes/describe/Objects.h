//===- Objects.h - memory that a kernel owns ----------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_OBJECTS_H
#define WARPSCOPE_PASSES_OBJECTS_H

#include <vector>

#include "traces/program/kernel_info.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace wspasses {

/// The local variables, private arrays left in memory, and program-scope variables of one kernel,
/// by first use.
class ObjectTable {
public:
  explicit ObjectTable(llvm::Function &F);
  const std::vector<llvm::Value *> &values() const { return Values; }
  /// Description for the capture.
  std::vector<warpscope::ObjectInfo> describe() const;
  /// The one object or kernel argument that an address is derived from, if that is known.
  warpscope::StaticObject resolve(const llvm::Value *Address) const;
  uint64_t staticLocalBytes() const;

private:
  void add(llvm::Value *V);
  void addGlobalsIn(llvm::Constant *C);
  uint64_t sizeOf(const llvm::Value *V) const;
  warpscope::StaticObject classify(const llvm::Value *Object) const;

  const llvm::Function &F;
  std::vector<llvm::Value *> Values;
  llvm::DenseMap<const llvm::Value *, unsigned> Index;
};

} // namespace wspasses

#endif
