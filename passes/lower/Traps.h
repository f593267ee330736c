//===- Traps.h - what ends a kernel with an error -----------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_LOWER_TRAPS_H
#define WARPSCOPE_PASSES_LOWER_TRAPS_H

#include "llvm/IR/Module.h"

namespace wspasses {

/// What a trap calls: void(). Begins with HardwarePrefix.
inline constexpr const char *TrapFunction = "__warpscope_device_trap";

/// Before anything is optimised: llvm.trap and its relatives become calls of TrapFunction.
void lowerTraps(llvm::Module &M);

/// When everything is inlined: a kernel whose end cannot be reached returns there. PoCL needs a
/// return, and a trap that the host knows of comes back.
void returnWhereUnreachable(llvm::Function &Kernel);

} // namespace wspasses

#endif
