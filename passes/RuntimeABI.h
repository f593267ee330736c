//===- RuntimeABI.h - contract between instrumented kernels and the runtime -===//
//
// The only place that names the runtime's symbols. Free of LLVM: wrapper/ includes it too.
//
// PoCL's bitcode linker refuses undeclared functions but leaves an extern_weak variable alone, so
// an instrumented kernel calls through a table that the dynamic loader resolves when PoCL loads the
// kernel. The version is part of the symbol: a kernel built for another version finds a null table
// and PoCL's load fails instead of corrupting a capture.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_RUNTIMEABI_H
#define WARPSCOPE_PASSES_RUNTIMEABI_H

#define WARPSCOPE_ABI_SYMBOL "__warpscope_abi_v1"
#define WARPSCOPE_ABI_SYMBOL_ID __warpscope_abi_v1

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/// Slots of the table. `item` is always the linear local id. Calls of one work-item come in program
/// order.
struct WarpscopeAbiV1 {
  /// Entry of a work-item, before everything else.
  void (*begin)(uint32_t item, uint64_t group_x, uint64_t group_y, uint64_t group_z);
  /// Return of a work-item.
  void (*end)(uint32_t item);
  /// Before a load, store or atomic.
  void (*access)(uint64_t address, uint32_t site, uint32_t item);
  /// Before a terminator with several successors: index of the successor taken, and how many bits
  /// store it.
  void (*branch)(uint32_t outcome, uint32_t bits, uint32_t item);
  /// Before a barrier or fence.
  void (*sync)(uint32_t site, uint32_t item);
  /// After begin, per work-item: where pointer argument `index` (kind 0) or object `index` of
  /// KernelInfo::objects (kind 1) lives now.
  void (*object)(uint32_t kind, uint32_t index, uint64_t address, uint32_t item);
};

#ifdef __cplusplus
}
#endif
#endif
