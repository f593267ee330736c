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

// Rounded down, up and towards zero: the nearest number, or its neighbour. A NaN stays one.
enum class __warpscope_direction { Down, Up, ToZero };
WARPSCOPE_BOTH unsigned short __warpscope_directed(float value, float nearest, unsigned short bits,
                                                   __warpscope_direction direction) {
  if (direction == __warpscope_direction::ToZero)
    direction = value < 0 ? __warpscope_direction::Up : __warpscope_direction::Down;
  const bool down = direction == __warpscope_direction::Down && nearest > value;
  const bool up = direction == __warpscope_direction::Up && nearest < value;
  if (!down && !up)
    return bits;
  if ((bits & 0x7fff) == 0)
    return down ? 0x8001 : 0x0001;
  return (unsigned short)(((bits & 0x8000) == 0) == up ? bits + 1 : bits - 1);
}
// A whole number as a float whose last bit says if something was lost ("round to odd"): rounded
// once more, to at most 22 bits, it is what rounding once would give.
template <class Whole> WARPSCOPE_BOTH float __warpscope_odd_float(Whole a) {
  const bool negative = a < 0;
  unsigned long long size = negative ? 0 - (unsigned long long)a : (unsigned long long)a;
  int exponent = 0;
  while (size >> 24 != 0) {
    size = size >> 1 | (size & 1);
    ++exponent;
  }
  const float scale = __builtin_bit_cast(float, (unsigned int)(127 + exponent) << 23);
  return (negative ? -1.0f : 1.0f) * (float)size * scale;
}
// `a` is whole; what does not fit becomes the nearest that does, a NaN 0 (of 64 bits, PTX ISA:
// the first bit alone).
template <class Whole, class Through> WARPSCOPE_BOTH Whole __warpscope_fit_whole(float a) {
  const bool is_signed = (Whole)-1 < (Whole)0;
  const int bits = 8 * sizeof(Whole);
  const float beyond = (float)(1ull << (bits - 1)) * (is_signed ? 1 : 2);
  const Whole top = (Whole)(1ull << (bits - 1));
  if (a != a)
    return bits == 64 ? top : (Whole)0;
  if (a >= beyond)
    return is_signed ? (Whole)(top - 1) : (Whole)-1;
  if (a < (is_signed ? -beyond : 0.0f))
    return is_signed ? top : (Whole)0;
  return (Whole)(Through)a;
}
