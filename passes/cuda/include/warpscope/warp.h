#pragma once
// Functions of a warp. PoCL has no warps: each of these is named with its line, and the kernel is not run.
WARPSCOPE_CANNOT void __warpscope_cannot_syncwarp(unsigned int mask);
WARPSCOPE_CANNOT unsigned int __warpscope_cannot_activemask();
WARPSCOPE_CANNOT unsigned int __warpscope_cannot_ballot_sync(unsigned int mask, int predicate);
WARPSCOPE_CANNOT int __warpscope_cannot_all_sync(unsigned int mask, int predicate);
WARPSCOPE_CANNOT int __warpscope_cannot_any_sync(unsigned int mask, int predicate);
WARPSCOPE_CANNOT unsigned int __warpscope_cannot_match_any_sync(unsigned int mask);
WARPSCOPE_CANNOT unsigned int __warpscope_cannot_reduce_sync(unsigned int mask);
WARPSCOPE_CANNOT int __warpscope_cannot_shfl_sync(unsigned int mask, int lane, int width);
WARPSCOPE_CANNOT int __warpscope_cannot_shfl_up_sync(unsigned int mask, int lane, int width);
WARPSCOPE_CANNOT int __warpscope_cannot_shfl_down_sync(unsigned int mask, int lane, int width);
WARPSCOPE_CANNOT int __warpscope_cannot_shfl_xor_sync(unsigned int mask, int lane, int width);

WARPSCOPE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
  __warpscope_cannot_syncwarp(mask);
}
WARPSCOPE_DEVICE unsigned int __activemask() { return __warpscope_cannot_activemask(); }
WARPSCOPE_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __warpscope_cannot_ballot_sync(mask, predicate);
}
WARPSCOPE_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __warpscope_cannot_all_sync(mask, predicate);
}
WARPSCOPE_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __warpscope_cannot_any_sync(mask, predicate);
}
#define WARPSCOPE_SHUFFLE(name)                                                                    \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE T __##name(unsigned int mask, T v, int lane, int width = warpSize) {            \
    return v + (T)__warpscope_cannot_##name(mask, lane, width);                                    \
  }
WARPSCOPE_SHUFFLE(shfl_sync)
WARPSCOPE_SHUFFLE(shfl_up_sync)
WARPSCOPE_SHUFFLE(shfl_down_sync)
WARPSCOPE_SHUFFLE(shfl_xor_sync)
#undef WARPSCOPE_SHUFFLE
