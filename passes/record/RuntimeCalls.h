//===- RuntimeCalls.h - calls through the runtime's table ---------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_RUNTIMECALLS_H
#define WARPSCOPE_PASSES_RUNTIMECALLS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace wspasses {

/// Position of each function in WarpscopeAbiV2.
enum Slot : unsigned {
  BeginSlot,
  EndSlot,
  AccessSlot,
  BranchSlot,
  SyncSlot,
  ObjectSlot,
  BeginBoxesSlot,
  NextBoxSlot,
  BoxReachSlot,
  BoxAccessesSlot,
  BoxBranchSlot,
  BoxSyncSlot,
  EndBoxSlot,
  EndBoxesSlot,
  BeginGridBoxesSlot,
  NumSlots
};

class RuntimeCalls {
public:
  explicit RuntimeCalls(llvm::Module &M);

  /// `Result`: null = the function returns nothing.
  llvm::CallInst *call(llvm::IRBuilder<> &Builder, Slot Function,
                       llvm::ArrayRef<llvm::Value *> Arguments, llvm::Type *Result = nullptr) const;

private:
  llvm::LLVMContext &Context;
  llvm::ArrayType *TableType;
  llvm::GlobalVariable *Table;
};

/// Calls a work-item function such as _Z12get_local_idj.
llvm::Value *queryWorkItem(llvm::IRBuilder<> &Builder, llvm::StringRef Mangled, unsigned Dimension);

/// Index of the successor that a terminator will take, as LLVM numbers them (a switch's default is
/// 0).
llvm::Value *outcomeOf(llvm::IRBuilder<> &Builder, llvm::Instruction &Terminator);

} // namespace wspasses

#endif
