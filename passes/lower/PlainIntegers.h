//===- PlainIntegers.h - integer intrinsics as plain instructions ----------===//
#ifndef WARPSCOPE_PASSES_PLAININTEGERS_H
#define WARPSCOPE_PASSES_PLAININTEGERS_H

namespace llvm {
class Module;
}

namespace wspasses {

/// Replaces what LLVM's optimiser makes of comparisons and shifts (umin, usub.sat, fshl, …) by
/// instructions without branches. For interpreters of older bitcode, such as Oclgrind 21.10; memory
/// accesses and control flow stay as they are.
void expandIntegerIntrinsics(llvm::Module &M);

} // namespace wspasses

#endif
