//===- Traps.h - traps say where they are -------------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PLUGIN_TRAPS_H
#define WARPSCOPE_PASSES_PLUGIN_TRAPS_H

#include "llvm/IR/Module.h"

namespace wspasses {

/// While instructions have their lines: the calls of TrapFunction (lower/Traps.h) get the kernel's
/// name, their place and the work-item.
void nameTraps(llvm::Module &M);

/// Makes llvm.trap of them again: for whoever runs a kernel without a host of ours.
void raiseTraps(llvm::Module &M);

} // namespace wspasses

#endif
