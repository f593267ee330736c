//===- RuntimeABI.h - contract between instrumented kernels and the runtime -===//
//
// Names the runtime's symbols, as StackABI.h does. Free of LLVM: wrapper/ includes it too.
//
// PoCL's bitcode linker refuses undeclared functions but leaves an extern_weak variable alone, so
// an instrumented kernel calls through a table that the dynamic loader resolves when PoCL loads the
// kernel. The version is part of the symbol: a kernel built for another version finds a null table
// and PoCL's load fails instead of corrupting a capture.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_RUNTIMEABI_H
#define WARPSCOPE_PASSES_RUNTIMEABI_H

#define WARPSCOPE_ABI_SYMBOL "__warpscope_abi_v2"
#define WARPSCOPE_ABI_SYMBOL_ID __warpscope_abi_v2

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/* Global offset and size of a dimension together: kernels are compiled for ids that fit in 31 bits,
   as they are on GPUs (lower/LowerBuiltins.cpp). */
#define WARPSCOPE_MOST_IDS 0x7fffffffu
#define WARPSCOPE_ALL_ITEMS 0xffffffffu
/* of `end_box`, next to bits 0 to 2 */
#define WARPSCOPE_VIOLATED 8u

/// Slots of the table. `item` is always the linear local id. Calls of one work-item come in program
/// order.
struct WarpscopeAbiV2 {
  /// Entry of a work-item, before everything else. Item WARPSCOPE_ALL_ITEMS: only the addresses of
  /// the kernel were asked for (record/AddressesOnly.h), but they depend on memory.
  void (*begin)(uint32_t item, uint64_t group_x, uint64_t group_y, uint64_t group_z);
  /// Return of a work-item; item WARPSCOPE_ALL_ITEMS: it ends in the middle, and its work-group
  /// cannot be recorded.
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
  /// Kernels whose addresses and branches need no memory (passes/record/Affine.h): their first
  /// work-item records the whole group before it runs, box by box. `begin_boxes` comes first, then
  /// `object` with item WARPSCOPE_ALL_ITEMS, then boxes.
  void (*begin_boxes)(uint64_t group_x, uint64_t group_y, uint64_t group_z);
  /// Lowest local id of the next box, 16 bits per dimension from the lowest bit on; all bits set =
  /// none is left.
  uint64_t (*next_box)(void);
  /// How far that box reaches beyond its lowest local id, packed in the same way.
  uint64_t (*box_reach)(void);
  /// `count` accesses. `sites` has two numbers of each: its site, and what is added to `base`, the
  /// address for the box's lowest local id. Others' are strides times the distance from there.
  void (*box_accesses)(uint64_t base, int64_t stride_x, int64_t stride_y, int64_t stride_z,
                       const int64_t *sites, uint32_t count);
  void (*box_branch)(uint32_t outcome, uint32_t bits);
  void (*box_sync)(uint32_t site);
  /// `violated`: WARPSCOPE_VIOLATED if the prediction does not hold for all work-items of the box,
  /// with bit d for dimensions along which that changes; 0 otherwise.
  void (*end_box)(uint32_t violated);
  /// All work-items have returned.
  void (*end_boxes)(void);
  /// Replaces begin_boxes if the prologue depends on the work-group only through global ids: boxes
  /// may then extend into the following work-groups.
  void (*begin_grid_boxes)(uint64_t group_x, uint64_t group_y, uint64_t group_z);
  /// Not called by kernels: takes the work-group that is being recorded off this thread of the
  /// host, and puts it on again, maybe on another one. Null = none.
  void *(*leave)(void);
  void (*enter)(void *group);
};

/// Kernels whose threads run on stacks of their own (passes/threads/Threads.cpp). PoCL runs what
/// is left of such a kernel, which hands its work-group to this table.
#define WARPSCOPE_THREADS_SYMBOL "__warpscope_threads_v1"
#define WARPSCOPE_THREADS_SYMBOL_ID __warpscope_threads_v1

/// What a thread's code gets: its place in its block, and what it calls. Offsets are part of the
/// ABI.
struct WarpscopeThreadV1 {
  uint64_t local_id[3];
  const struct WarpscopeThreadCallsV1 *calls;
};

/// What exchanges values between the threads of a warp. `kind` of WarpscopeThreadCallsV1::exchange.
enum WarpscopeExchange {
  WARPSCOPE_SYNC,    ///< nothing
  WARPSCOPE_SHUFFLE, ///< the value of lane `operand`; the own one if that lane does not take part
  WARPSCOPE_BALLOT,  ///< bits of the lanes whose value is not 0
  WARPSCOPE_MATCH,   ///< bits of the lanes whose value equals the own one
  WARPSCOPE_ADD,     ///< 32-bit operands, as for the following
  WARPSCOPE_MIN_SIGNED,
  WARPSCOPE_MIN_UNSIGNED,
  WARPSCOPE_MAX_SIGNED,
  WARPSCOPE_MAX_UNSIGNED,
  WARPSCOPE_AND,
  WARPSCOPE_OR,
  WARPSCOPE_XOR
};

/// Slots of what a thread's code calls. None returns before the threads that it waits for have
/// come.
struct WarpscopeThreadCallsV1 {
  /// All threads of the block that have not ended.
  void (*barrier)(void);
  /// The same; how many of them gave a `predicate` other than 0.
  uint32_t (*barrier_count)(uint32_t predicate);
  /// Threads of a warp: those of `mask`; 0 = those that come to this place together.
  uint64_t (*exchange)(uint32_t kind, uint32_t mask, uint64_t value, uint32_t operand);
  /// Before an access that may be repeated until another thread has written: lets the others run.
  void (*poll)(void);
  /// All threads of the grid.
  void (*grid_barrier)(void);
  /// The host's printf.
  int (*print)(const char *format, ...);
};

/// The threads' code as the kernel carries it: this, then an ELF library.
struct WarpscopeThreadCodeV1 {
  uint64_t bytes; ///< size of the library
  uint64_t hash;  ///< hash of the library: equal hashes are the same library
};

/// The first fields of what a kernel stores for its threads; arguments follow. Fields of `dim` are
/// x, y, z.
struct WarpscopeThreadFrameV1 {
  uint64_t group[3];
  uint64_t groups[3];
  uint64_t local_size[3];
  uint64_t offset[3];  ///< get_global_offset
  uint64_t dimensions; ///< get_work_dim
};

/// A local array of the block: where in the frame its address is, and its size.
struct WarpscopeThreadLocalV1 {
  uint64_t offset;
  uint64_t bytes; ///< 0 = as large as the launch says
};

/// What is the same for all work-groups of a kernel.
struct WarpscopeThreadKernelV1 {
  uint64_t frame_bytes;
  uint64_t stack_bytes; ///< size of a thread's own variables
  uint64_t has_grid_barrier;
  uint64_t locals; ///< how many WarpscopeThreadLocalV1 follow
};

/// Runs all threads of a work-group: `symbol` of the library that `code` holds, once per thread.
struct WarpscopeThreadsV1 {
  void (*run)(const struct WarpscopeThreadCodeV1 *code, const char *symbol,
              const struct WarpscopeThreadKernelV1 *kernel, struct WarpscopeThreadFrameV1 *frame);
};

/// What device code asks the host for, besides launches and copies. None of it is an access.
#define WARPSCOPE_DEVICE_SYMBOL "__warpscope_device_v1"
#define WARPSCOPE_DEVICE_SYMBOL_ID __warpscope_device_v1

struct WarpscopeDeviceV1 {
  /// An assertion does not hold in a thread; x, y, z of its block, and in it. Does not return.
  void (*assertion)(const char *text, const char *file, uint32_t line, const char *function,
                    uint32_t block_x, uint32_t block_y, uint32_t block_z, uint32_t thread_x,
                    uint32_t thread_y, uint32_t thread_z);
  /// malloc(): an address, or 0.
  uint64_t (*allocate)(uint64_t bytes);
  /// free().
  void (*release)(uint64_t address);
  /// A thread traps, at `place`. Does not return.
  void (*trap)(const char *kernel, const char *place, uint32_t block_x, uint32_t block_y,
               uint32_t block_z, uint32_t thread_x, uint32_t thread_y, uint32_t thread_z);
  /// As `assertion`, of a thread that returns behind it: this comes back, and the others go on.
  void (*failed_assertion)(const char *text, const char *file, uint32_t line, const char *function,
                           uint32_t block_x, uint32_t block_y, uint32_t block_z, uint32_t thread_x,
                           uint32_t thread_y, uint32_t thread_z);
};

#ifdef __cplusplus
}
#endif
#endif
