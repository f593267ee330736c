//===- StackABI.h - memory for the frames of recursive functions ------------===//
//
// As RuntimeABI.h: a table that kernels find when PoCL loads them. None of what it does is an
// access.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_STACKABI_H
#define WARPSCOPE_PASSES_STACKABI_H

#define WARPSCOPE_STACKS_SYMBOL "__warpscope_stacks_v1"
#define WARPSCOPE_STACKS_SYMBOL_ID __warpscope_stacks_v1

/* what a thread of a GPU has of local memory (CUDA C++ Programming Guide, technical specifications)
 */
#define WARPSCOPE_MOST_STACK_BYTES 524288u

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

struct WarpscopeStacksV1 {
  /// Stack `index` of the kernel's `count`, for thread `item` of the block's `items`.
  void *(*stack)(uint32_t index, uint32_t count, uint32_t item, uint32_t items);
  /// Bytes of each of them, at most WARPSCOPE_MOST_STACK_BYTES.
  uint32_t (*bytes)(void);
  /// The frame of a call of `function` at `place` does not fit; x, y, z of the thread's block, and
  /// in it. Does not return.
  void (*overflow)(const char *kernel, const char *place, const char *function, uint32_t block_x,
                   uint32_t block_y, uint32_t block_z, uint32_t thread_x, uint32_t thread_y,
                   uint32_t thread_z);
};

#ifdef __cplusplus
}
#endif
#endif
