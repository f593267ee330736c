#pragma once
// Additions to numbers of 16 bits in memory, and to pairs of them: one access each, as on a GPU.
// The loop is how the CPU gets the result, and is not recorded.
#include "half_bits.h"

#define WARPSCOPE_ADD_SHORT(format, decode, encode)                                                \
  WARPSCOPE_DEVICE unsigned short __warpscope_sum_##format(unsigned int a, unsigned int b) {       \
    return encode(decode((unsigned short)a) + decode((unsigned short)b));                          \
  }                                                                                                \
  WARPSCOPE_HARDWARE unsigned short __warpscope_atomic_add_##format(unsigned short *p,             \
                                                                    unsigned short value) {        \
    unsigned short old = *p, seen;                                                                 \
    while ((seen = atomicCAS(p, old, __warpscope_sum_##format(old, value))) != old)                \
      old = seen;                                                                                  \
    return old;                                                                                    \
  }                                                                                                \
  WARPSCOPE_HARDWARE unsigned int __warpscope_atomic_add_##format##x2(unsigned int *p,             \
                                                                      unsigned int value) {        \
    unsigned int old = *p, seen;                                                                   \
    while ((seen = atomicCAS(p, old,                                                               \
                             __warpscope_sum_##format(old, value) |                                \
                                 (unsigned int)__warpscope_sum_##format(old >> 16, value >> 16)    \
                                     << 16)) != old)                                               \
      old = seen;                                                                                  \
    return old;                                                                                    \
  }
WARPSCOPE_ADD_SHORT(f16, __warpscope_half_to_float, __warpscope_float_to_half)
WARPSCOPE_ADD_SHORT(bf16, __warpscope_bfloat_to_float, __warpscope_float_to_bfloat)
#undef WARPSCOPE_ADD_SHORT
// atomicAdd() of a type of that size.
#define WARPSCOPE_ATOMIC_SHORT(type, bits, format)                                                 \
  WARPSCOPE_DEVICE type atomicAdd(type *p, type value) {                                           \
    return __builtin_bit_cast(                                                                     \
        type, __warpscope_atomic_add_##format((bits *)p, __builtin_bit_cast(bits, value)));        \
  }
