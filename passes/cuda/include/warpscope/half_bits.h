#pragma once
// Floating-point numbers of 16 bits and back, to the nearest, ties to even: IEEE 754 binary16, and
// bfloat16, the upper half of a float.
#include "attributes.h"

WARPSCOPE_BOTH float __warpscope_half_to_float(unsigned short half) {
  const unsigned int sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31,
                     fraction = half & 1023;
  if (exponent == 0) {
    const float small = (float)fraction * 5.9604644775390625e-8f; // 2^-24
    return sign ? -small : small;
  }
  const unsigned int bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
  return __builtin_bit_cast(float, bits);
}
WARPSCOPE_BOTH unsigned short __warpscope_float_to_half(float value) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, value);
  const unsigned int sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return (unsigned short)(sign | 0x7e00u);
  if (magnitude >= 0x47800000u)
    return (unsigned short)(sign | 0x7c00u); // 65536 and more
  if (magnitude < 0x38800000u) {             // below the normal numbers
    // Adding 0.5 leaves multiples of 2^-24 in the fraction, rounded by the addition itself.
    const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return (unsigned short)(sign | (__builtin_bit_cast(unsigned int, shifted) - 0x3f000000u));
  }
  const unsigned int rounded = magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u;
  return (unsigned short)(sign | rounded >> 13);
}

WARPSCOPE_BOTH float __warpscope_bfloat_to_float(unsigned short bits) {
  return __builtin_bit_cast(float, (unsigned int)bits << 16);
}
// To the nearest, ties to even; a NaN stays one.
WARPSCOPE_BOTH unsigned short __warpscope_float_to_bfloat(float value) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (unsigned short)0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
