#pragma once
// Cooperative groups: blocks, tiles of a warp, the threads that are together, and the grid's sizes.
// A barrier of the whole grid lets the threads run on stacks of their own
// (passes/threads/Threads.cpp).
#include "cuda_runtime.h"
#ifdef __CUDA__ // a host compiler may include this, and finds nothing
#include "warpscope/letters_away.h"

namespace cooperative_groups {

#define WARPSCOPE_MEMBER __attribute__((device, always_inline, nodebug))

class thread_block {
public:
  WARPSCOPE_MEMBER static void sync() { __syncthreads(); }
  WARPSCOPE_MEMBER static unsigned int thread_rank() { return __warpscope_rank(); }
  WARPSCOPE_MEMBER static unsigned int size() { return __warpscope_threads(); }
  WARPSCOPE_MEMBER static unsigned int num_threads() { return __warpscope_threads(); }
  WARPSCOPE_MEMBER static dim3 group_index() { return blockIdx; }
  WARPSCOPE_MEMBER static dim3 thread_index() { return threadIdx; }
  WARPSCOPE_MEMBER static dim3 group_dim() { return blockDim; }
  WARPSCOPE_MEMBER static dim3 dim_threads() { return blockDim; }
};
WARPSCOPE_DEVICE thread_block this_thread_block() { return {}; }
// Room that tiles of several warps work in on a GPU; here nothing needs it. Release 11 has the
// size of an element in front.
template <unsigned int First, unsigned int Threads = First> struct block_tile_memory {};
template <unsigned int First, unsigned int Threads>
WARPSCOPE_DEVICE thread_block this_thread_block(block_tile_memory<First, Threads> &) {
  return {};
}

class grid_group {
public:
  WARPSCOPE_MEMBER static void sync() { __warpscope_grid_barrier(); }
  WARPSCOPE_MEMBER static bool is_valid() { return true; }
  WARPSCOPE_MEMBER static unsigned long long thread_rank() {
    return block_rank() * __warpscope_threads() + __warpscope_rank();
  }
  WARPSCOPE_MEMBER static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  WARPSCOPE_MEMBER static unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  WARPSCOPE_MEMBER static dim3 block_index() { return blockIdx; }
  WARPSCOPE_MEMBER static dim3 dim_blocks() { return gridDim; }
  WARPSCOPE_MEMBER static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * __warpscope_threads();
  }
  WARPSCOPE_MEMBER static unsigned long long num_threads() { return size(); }
  WARPSCOPE_MEMBER static dim3 group_dim() { return gridDim; }
};
WARPSCOPE_DEVICE grid_group this_grid() { return {}; }

template <unsigned int Size, class Parent = void> class thread_block_tile {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1 to 32 threads, a power of two");
  WARPSCOPE_MEMBER static unsigned int shift() { return __warpscope_lane() & ~(Size - 1); }
  static constexpr unsigned int all_lanes = 0xffffffffu;
  static constexpr unsigned int own_lanes = all_lanes >> (32 - Size);

public:
  thread_block_tile() = default;
  // thread_block_tile<32> is a name for tiles of whatever was divided.
  template <class Other>
  WARPSCOPE_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &) {}
  WARPSCOPE_MEMBER static void sync() { __syncwarp(lanes()); }
  WARPSCOPE_MEMBER static unsigned int thread_rank() { return __warpscope_rank() % Size; }
  WARPSCOPE_MEMBER static constexpr unsigned int size() { return Size; }
  WARPSCOPE_MEMBER static constexpr unsigned int num_threads() { return Size; }
  WARPSCOPE_MEMBER static unsigned int meta_group_rank() { return __warpscope_rank() / Size; }
  WARPSCOPE_MEMBER static unsigned int meta_group_size() {
    return (__warpscope_threads() + Size - 1) / Size;
  }
  template <class T> WARPSCOPE_MEMBER static T shfl(T value, int rank) {
    return __shfl_sync(lanes(), value, rank, Size);
  }
  template <class T> WARPSCOPE_MEMBER static T shfl_up(T value, unsigned int delta) {
    return __shfl_up_sync(lanes(), value, delta, Size);
  }
  template <class T> WARPSCOPE_MEMBER static T shfl_down(T value, unsigned int delta) {
    return __shfl_down_sync(lanes(), value, delta, Size);
  }
  template <class T> WARPSCOPE_MEMBER static T shfl_xor(T value, unsigned int mask) {
    return __shfl_xor_sync(lanes(), value, mask, Size);
  }
  WARPSCOPE_MEMBER static unsigned int ballot(int predicate) {
    return __ballot_sync(lanes(), predicate) >> shift() & own_lanes;
  }
  WARPSCOPE_MEMBER static int any(int predicate) { return ballot(predicate) != 0; }
  WARPSCOPE_MEMBER static int all(int predicate) { return ballot(!predicate) == 0; }
  template <class T> WARPSCOPE_MEMBER static unsigned int match_any(T value) {
    return __match_any_sync(lanes(), value) >> shift() & own_lanes;
  }
  // The tile's threads as lanes of the warp: which ones an exchange waits for.
  WARPSCOPE_MEMBER static unsigned int lanes() { return own_lanes << shift(); }
};
template <unsigned int Size, class Parent>
WARPSCOPE_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}

// The threads of a warp that are together where the group is made.
class coalesced_group {
  unsigned int mask;
  // The lane with rank `rank` of the group; the thread's own if there is none.
  WARPSCOPE_MEMBER unsigned int lane_of(unsigned int rank) const {
    unsigned int lane = __warpscope_lane(), seen = 0;
    for (unsigned int at = 0; at < 32; ++at)
      if (mask >> at & 1 && seen++ == rank)
        lane = at;
    return lane;
  }
  // Bits of lanes as bits of ranks.
  WARPSCOPE_MEMBER unsigned int packed(unsigned int lanes) const {
    unsigned int bits = 0, rank = 0;
    for (unsigned int at = 0; at < 32; ++at)
      if (mask >> at & 1)
        bits |= (lanes >> at & 1) << rank++;
    return bits;
  }

public:
  WARPSCOPE_MEMBER explicit coalesced_group(unsigned int lanes) : mask(lanes) {}
  WARPSCOPE_MEMBER void sync() const { __syncwarp(mask); }
  WARPSCOPE_MEMBER unsigned int thread_rank() const {
    return __builtin_popcount(mask & ((1u << __warpscope_lane()) - 1));
  }
  WARPSCOPE_MEMBER unsigned int size() const { return __builtin_popcount(mask); }
  WARPSCOPE_MEMBER unsigned int num_threads() const { return size(); }
  WARPSCOPE_MEMBER static unsigned int meta_group_rank() { return 0; }
  WARPSCOPE_MEMBER static unsigned int meta_group_size() { return 1; }
  template <class T> WARPSCOPE_MEMBER T shfl(T value, unsigned int rank) const {
    return __warpscope_from_lane(mask, value, lane_of(rank));
  }
  template <class T> WARPSCOPE_MEMBER T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank < delta ? rank : rank - delta);
  }
  template <class T> WARPSCOPE_MEMBER T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }
  WARPSCOPE_MEMBER unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask, predicate));
  }
  WARPSCOPE_MEMBER int any(int predicate) const { return __any_sync(mask, predicate); }
  WARPSCOPE_MEMBER int all(int predicate) const { return __all_sync(mask, predicate); }
  template <class T> WARPSCOPE_MEMBER unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask, value));
  }
  WARPSCOPE_MEMBER unsigned int lanes() const { return mask; }
};
WARPSCOPE_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
// The threads of a tile or coalesced group that have the same value.
template <class Group, class T>
WARPSCOPE_DEVICE coalesced_group labeled_partition(const Group &group, T label) {
  return coalesced_group(__match_any_sync(group.lanes(), label));
}
template <class Group>
WARPSCOPE_DEVICE coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned int with = __ballot_sync(group.lanes(), predicate);
  return coalesced_group(predicate ? with : group.lanes() & ~with);
}

// Any of the above whose kind a function does not ask for: a block, or lanes of a warp.
class thread_group {
  bool block;
  unsigned int mask;

public:
  WARPSCOPE_MEMBER thread_group(const thread_block &) : block(true), mask(0) {}
  WARPSCOPE_MEMBER thread_group(const coalesced_group &group) : block(false), mask(group.lanes()) {}
  template <unsigned int Size, class Parent>
  WARPSCOPE_MEMBER thread_group(const thread_block_tile<Size, Parent> &tile)
      : block(false), mask(tile.lanes()) {}
  WARPSCOPE_MEMBER void sync() const {
    if (block)
      __syncthreads();
    else
      __syncwarp(mask);
  }
  WARPSCOPE_MEMBER unsigned int thread_rank() const {
    return block ? __warpscope_rank() : coalesced_group(mask).thread_rank();
  }
  WARPSCOPE_MEMBER unsigned int size() const {
    return block ? __warpscope_threads() : __builtin_popcount(mask);
  }
  WARPSCOPE_MEMBER unsigned int num_threads() const { return size(); }
};
// Tiles whose size is known when the kernel runs: 1 to 32 threads, a power of two.
WARPSCOPE_DEVICE thread_group tiled_partition(const thread_group &group, unsigned int size) {
  const unsigned int first = group.thread_rank() & ~(size - 1);
  const unsigned int from = __warpscope_lane() - (group.thread_rank() - first);
  return coalesced_group((0xffffffffu >> (32 - size)) << from);
}

template <class Group> WARPSCOPE_DEVICE void sync(const Group &group) { group.sync(); }

template <class T> struct plus {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  WARPSCOPE_MEMBER T operator()(T a, T b) const { return a ^ b; }
};
/// Every thread of the tile gets the result, by a butterfly of shuffles.
template <unsigned int Size, class Parent, class T, class F>
WARPSCOPE_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T value, F combine) {
  for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
    value = combine(value, tile.shfl_xor(value, distance));
  return value;
}
/// The same of a coalesced group: every lane's value in turn, so that all warps take equally many
/// steps.
template <class T, class F>
WARPSCOPE_DEVICE T reduce(const coalesced_group &group, T value, F combine) {
  const unsigned int mask = group.lanes(), first = mask == 0 ? 0 : __builtin_ctz(mask);
  T result = __warpscope_from_lane(mask, value, first);
  for (unsigned int lane = 0; lane < 32; ++lane) {
    const T other = __warpscope_from_lane(mask, value, lane);
    if (lane > first && (mask >> lane & 1))
      result = combine(result, other);
  }
  return result;
}
#undef WARPSCOPE_MEMBER

} // namespace cooperative_groups
#include "warpscope/letters_back.h"
#endif
