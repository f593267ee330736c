#pragma once
// Functions of a warp and of a block that exchange values between threads. PoCL has no warps, so
// the whole block meets at hidden barriers and passes the values through a hidden array: neither is
// recorded, as no memory is accessed on a GPU. passes/cuda/CudaWarp.cpp makes all threads of the
// block reach the calls, or names those where it cannot.
#define WARPSCOPE_SLOTS unsigned long long *slots

WARPSCOPE_DEVICE unsigned long long *__warpscope_slots() {
  __shared__ unsigned long long __warpscope_slot_array[1024];
  return __warpscope_slot_array;
}
WARPSCOPE_DEVICE unsigned int __warpscope_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
WARPSCOPE_DEVICE unsigned int __warpscope_threads() { return blockDim.x * blockDim.y * blockDim.z; }
WARPSCOPE_DEVICE unsigned int __warpscope_lane() { return __warpscope_rank() % warpSize; }
// Before the second barrier nobody reads, before the first one nobody writes.
WARPSCOPE_DEVICE void __warpscope_publish(unsigned long long value, WARPSCOPE_SLOTS) {
  _Z7barrierj(3);
  slots[__warpscope_rank()] = value;
  _Z7barrierj(3);
}

// The first argument of each is 0 for threads that do not take part. The mask is for threads that
// run on stacks of their own (passes/threads/Threads.cpp): which lanes to wait for; 0 = those that
// come together.
WARPSCOPE_HARDWARE void __warpscope_warp_sync(int, unsigned int mask) {
  _Z7barrierj(mask == 0 ? 1 : 3); // an argument that the body does not use would be dropped
}
// Of cooperative_groups.h. What is called instead runs all threads of the grid; a barrier keeps the
// call.
WARPSCOPE_HARDWARE void __warpscope_grid_barrier() { _Z7barrierj(3); }
WARPSCOPE_HARDWARE unsigned long long __warpscope_warp_exchange(unsigned long long value,
                                                                unsigned int lane,
                                                                unsigned int mask,
                                                                WARPSCOPE_SLOTS) {
  __warpscope_publish(value, slots);
  const unsigned int from = __warpscope_rank() / warpSize * warpSize + lane;
  const bool takes_part = mask == 0 || (mask >> lane & 1) != 0;
  return takes_part && from < __warpscope_threads() ? slots[from] : value;
}
WARPSCOPE_HARDWARE unsigned int __warpscope_warp_ballot(int predicate, unsigned int mask,
                                                        WARPSCOPE_SLOTS) {
  __warpscope_publish(predicate != 0, slots);
  const unsigned int first = __warpscope_rank() / warpSize * warpSize;
  unsigned int bits = 0;
  for (unsigned int lane = 0; lane < warpSize && first + lane < __warpscope_threads(); ++lane)
    bits |= (unsigned int)slots[first + lane] << lane;
  return mask == 0 ? bits : bits & mask;
}
WARPSCOPE_HARDWARE unsigned int __warpscope_warp_match(unsigned long long value, unsigned int mask,
                                                       WARPSCOPE_SLOTS) {
  __warpscope_publish(value, slots);
  const unsigned int rank = __warpscope_rank(), first = rank / warpSize * warpSize;
  unsigned int bits = 0;
  for (unsigned int lane = 0; lane < warpSize && first + lane < __warpscope_threads(); ++lane)
    bits |= (unsigned int)(slots[first + lane] == slots[rank]) << lane;
  return mask == 0 ? bits : bits & mask;
}
WARPSCOPE_HARDWARE int __warpscope_barrier_count(int predicate, WARPSCOPE_SLOTS) {
  __warpscope_publish(predicate != 0, slots);
  int count = 0;
  for (unsigned int rank = 0; rank < __warpscope_threads(); ++rank)
    count += (int)slots[rank];
  return count;
}

WARPSCOPE_DEVICE int __syncthreads_count(int predicate) {
  return __warpscope_barrier_count(predicate, __warpscope_slots());
}
WARPSCOPE_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) > 0; }
WARPSCOPE_DEVICE int __syncthreads_and(int predicate) {
  return __syncthreads_count(!predicate) == 0;
}
WARPSCOPE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
  __warpscope_warp_sync(1, mask);
}
WARPSCOPE_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __warpscope_warp_ballot(predicate, mask, __warpscope_slots()) & mask;
}
WARPSCOPE_DEVICE unsigned int __activemask() {
  return __warpscope_warp_ballot(1, 0, __warpscope_slots());
}
WARPSCOPE_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
WARPSCOPE_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}

// A value in pieces of 64 bits; cooperative groups exchange structures, of at most 32 bytes.
template <class T>
WARPSCOPE_DEVICE T __warpscope_from_lane(unsigned int mask, T value, unsigned int lane) {
  static_assert(sizeof(T) <= 32, "a value of at most 32 bytes");
  unsigned long long pieces[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(pieces, &value, sizeof(T));
#pragma unroll
  for (unsigned long long &piece : pieces)
    piece = __warpscope_warp_exchange(piece, lane, mask, __warpscope_slots());
  __builtin_memcpy(&value, pieces, sizeof(T));
  return value;
}
template <class T> WARPSCOPE_DEVICE unsigned long long __warpscope_bits(T value) {
  static_assert(sizeof(T) <= 8, "a value of at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> WARPSCOPE_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {
  return __warpscope_warp_match(__warpscope_bits(value), mask, __warpscope_slots()) & mask;
}

// The mask if all its lanes have the same value, else 0.
template <class T>
WARPSCOPE_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *predicate) {
  *predicate = __match_any_sync(mask, value) == mask;
  return *predicate ? mask : 0;
}

// Which lane a shuffle reads: the PTX manual's shfl.sync with segments of `width` lanes; a lane
// outside of the segment gives the thread's own value.
template <class T>
WARPSCOPE_DEVICE T __shfl_sync(unsigned int mask, T value, int lane, int width = warpSize) {
  const unsigned int self = __warpscope_lane(), first = self & ~(unsigned int)(width - 1);
  return __warpscope_from_lane(mask, value, first + ((unsigned int)lane & (width - 1)));
}
template <class T>
WARPSCOPE_DEVICE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta,
                                  int width = warpSize) {
  const unsigned int self = __warpscope_lane(), first = self & ~(unsigned int)(width - 1);
  return __warpscope_from_lane(mask, value, self < first + delta ? self : self - delta);
}
template <class T>
WARPSCOPE_DEVICE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta,
                                    int width = warpSize) {
  const unsigned int self = __warpscope_lane(), last = self | (unsigned int)(width - 1);
  return __warpscope_from_lane(mask, value, self + delta > last ? self : self + delta);
}
template <class T>
WARPSCOPE_DEVICE T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = warpSize) {
  const unsigned int self = __warpscope_lane(), last = self | (unsigned int)(width - 1);
  const unsigned int other = self ^ (unsigned int)bits;
  return __warpscope_from_lane(mask, value, other > last ? self : other);
}

#define WARPSCOPE_REDUCE(name, type, expression)                                                   \
  WARPSCOPE_HARDWARE type __warpscope_warp##name##_##type(type value, unsigned int mask,           \
                                                          WARPSCOPE_SLOTS) {                       \
    __warpscope_publish((unsigned long long)value, slots);                                         \
    const unsigned int first = __warpscope_rank() / warpSize * warpSize;                           \
    const int lowest = mask == 0 ? 0 : __builtin_ctz(mask);                                        \
    type a = (type)slots[first + lowest];                                                          \
    for (int lane = lowest + 1; lane < warpSize; ++lane) {                                         \
      const type b = (type)slots[first + lane];                                                    \
      if (mask >> lane & 1)                                                                        \
        a = expression;                                                                            \
    }                                                                                              \
    return a;                                                                                      \
  }                                                                                                \
  WARPSCOPE_DEVICE type name(unsigned int mask, type value) {                                      \
    return __warpscope_warp##name##_##type(value, mask, __warpscope_slots());                      \
  }
WARPSCOPE_REDUCE(__reduce_add_sync, int, a + b)
WARPSCOPE_REDUCE(__reduce_add_sync, unsigned, a + b)
WARPSCOPE_REDUCE(__reduce_min_sync, int, a < b ? a : b)
WARPSCOPE_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
WARPSCOPE_REDUCE(__reduce_max_sync, int, a > b ? a : b)
WARPSCOPE_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
WARPSCOPE_REDUCE(__reduce_and_sync, unsigned, a &b)
WARPSCOPE_REDUCE(__reduce_or_sync, unsigned, a | b)
WARPSCOPE_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef WARPSCOPE_REDUCE
#undef WARPSCOPE_SLOTS

// The forms without a mask, as before CUDA 9.
template <class T> WARPSCOPE_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(0u, value, lane, width);
}
template <class T> WARPSCOPE_DEVICE T __shfl_up(T value, unsigned int delta, int width = warpSize) {
  return __shfl_up_sync(0u, value, delta, width);
}
template <class T>
WARPSCOPE_DEVICE T __shfl_down(T value, unsigned int delta, int width = warpSize) {
  return __shfl_down_sync(0u, value, delta, width);
}
template <class T> WARPSCOPE_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  return __shfl_xor_sync(0u, value, mask, width);
}
WARPSCOPE_DEVICE unsigned int __ballot(int predicate) {
  return __warpscope_warp_ballot(predicate, 0, __warpscope_slots());
}
WARPSCOPE_DEVICE int __all(int predicate) { return __ballot(!predicate) == 0; }
WARPSCOPE_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
