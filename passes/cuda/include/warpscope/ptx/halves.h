#pragma once
// Inline PTX: f16, bf16 and pairs of them (PTX ISA 9.7.4, "Half Precision Floating Point
// Instructions"). A result is computed as a float that is exact but for its last bit, which is set
// if more would follow ("round to odd"), and is then rounded once.
#include "../half_atomics.h"

namespace warpscope_ptx {

// `x` with the last bit of a float set if the float is not all of it.
WARPSCOPE_PTX float odd_float(double x) {
  const float near = (float)x;
  unsigned int number = __builtin_bit_cast(unsigned int, near);
  const bool is_exact = (double)near == x || x != x;
  if (!is_exact && number % 2 == 0)
    number += ::fabs((double)near) > ::fabs(x) ? -1 : 1;
  return __builtin_bit_cast(float, number);
}
WARPSCOPE_PTX double odd_sum(double x, double y) {
  const double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
  unsigned long long number = __builtin_bit_cast(unsigned long long, sum);
  const bool is_exact = !(rest < 0 || rest > 0);
  if (!is_exact && number % 2 == 0)
    number += (rest > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, number);
}

struct HalfFormat {
  WARPSCOPE_DEVICE_MEMBER static float decode(unsigned short bits) {
    return __warpscope_half_to_float(bits);
  }
  WARPSCOPE_DEVICE_MEMBER static unsigned short encode(float x) {
    return __warpscope_float_to_half(x);
  }
};
struct BfloatFormat {
  WARPSCOPE_DEVICE_MEMBER static float decode(unsigned short bits) {
    return __warpscope_bfloat_to_float(bits);
  }
  WARPSCOPE_DEVICE_MEMBER static unsigned short encode(float x) {
    return __warpscope_float_to_bfloat(x);
  }
};
template <class Format> struct Short {
  unsigned short bits;
  Short() = default;
  WARPSCOPE_DEVICE_MEMBER explicit Short(double x) : bits(Format::encode(odd_float(x))) {}
  WARPSCOPE_DEVICE_MEMBER operator float() const { return Format::decode(bits); }
};
template <class Number> struct Pair {
  Number low, high;
};
typedef Short<HalfFormat> Half;
typedef Short<BfloatFormat> Bfloat;
typedef Pair<Half> HalfPair;
typedef Pair<Bfloat> BfloatPair;

// A float with ten bits of fraction, in a register of 32 bits.
struct Tf32 {
  unsigned int bits;
};

template <class T> constexpr bool is_short = false;
template <class F> constexpr bool is_short<Short<F>> = true;
template <class T> constexpr bool is_pair = false;
template <class N> constexpr bool is_pair<Pair<N>> = true;
template <class F> constexpr bool is_float<Short<F>> = true;
template <class N> constexpr bool is_float<Pair<N>> = true;
template <class F> constexpr bool is_signed<Short<F>> = true;
template <class N> constexpr bool is_signed<Pair<N>> = true;

template <class F> WARPSCOPE_PTX Short<F> multiply_add(Short<F> a, Short<F> b, Short<F> c) {
  return Short<F>(odd_sum((double)a * (double)b, (double)c));
}
template <class F> WARPSCOPE_PTX Short<F> operator+(Short<F> a, Short<F> b) {
  return Short<F>(odd_sum((double)a, (double)b));
}
template <class F> WARPSCOPE_PTX Short<F> operator-(Short<F> a, Short<F> b) {
  return Short<F>(odd_sum((double)a, -(double)b));
}
template <class F> WARPSCOPE_PTX Short<F> operator*(Short<F> a, Short<F> b) {
  return Short<F>((double)a * (double)b);
}
// The sign is a bit, of no number too.
template <class F> WARPSCOPE_PTX Short<F> operator-(Short<F> a) {
  a.bits ^= 0x8000;
  return a;
}
template <class F> WARPSCOPE_PTX Short<F> magnitude(Short<F> a) {
  a.bits &= 0x7fff;
  return a;
}
// Of a number and none the number; -0 is less than 0.
template <class F> WARPSCOPE_PTX Short<F> smaller(Short<F> a, Short<F> b) {
  const float x = a, y = b;
  return x != x ? b : y != y ? a : x < y || (x == y && a.bits > b.bits) ? a : b;
}
template <class F> WARPSCOPE_PTX Short<F> larger(Short<F> a, Short<F> b) {
  return -smaller(-a, -b);
}
// To 0 and above, or between 0 and 1; no number becomes 0 in the second.
template <class F> WARPSCOPE_PTX Short<F> rectified(Short<F> a) {
  const float x = a;
  return x <= 0 ? Short<F>(0.0) : a;
}
template <class F> WARPSCOPE_PTX Short<F> limited(Short<F> a) {
  const float x = a;
  return x >= 1 ? Short<F>(1.0) : x > 0 ? a : Short<F>(0.0);
}

// Pairs: the same of both.
#define WARPSCOPE_PTX_OF1(name, function)                                                          \
  template <class N> WARPSCOPE_PTX Pair<N> name(Pair<N> a) {                                       \
    return {function(a.low), function(a.high)};                                                    \
  }
#define WARPSCOPE_PTX_OF2(name, operation)                                                         \
  template <class N> WARPSCOPE_PTX Pair<N> name(Pair<N> a, Pair<N> b) {                            \
    return {operation(a.low, b.low), operation(a.high, b.high)};                                   \
  }
WARPSCOPE_PTX_OF1(operator-, operator-)
WARPSCOPE_PTX_OF1(magnitude, magnitude)
WARPSCOPE_PTX_OF1(rectified, rectified)
WARPSCOPE_PTX_OF1(limited, limited)
WARPSCOPE_PTX_OF2(operator+, operator+)
WARPSCOPE_PTX_OF2(operator-, operator-)
WARPSCOPE_PTX_OF2(operator*, operator*)
WARPSCOPE_PTX_OF2(smaller, smaller)
WARPSCOPE_PTX_OF2(larger, larger)
#undef WARPSCOPE_PTX_OF1
#undef WARPSCOPE_PTX_OF2
template <class N> WARPSCOPE_PTX Pair<N> multiply_add(Pair<N> a, Pair<N> b, Pair<N> c) {
  return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
}

// A function of float on one number or both.
template <class F, class Function> WARPSCOPE_PTX Short<F> each(Short<F> a, Function function) {
  return Short<F>((double)function((float)a));
}
template <class N, class Function> WARPSCOPE_PTX Pair<N> each(Pair<N> a, Function function) {
  return {each(a.low, function), each(a.high, function)};
}

using ::atomicAdd; // of the other types
WARPSCOPE_ATOMIC_SHORT(Half, unsigned short, f16)
WARPSCOPE_ATOMIC_SHORT(HalfPair, unsigned int, f16x2)
WARPSCOPE_ATOMIC_SHORT(Bfloat, unsigned short, bf16)
WARPSCOPE_ATOMIC_SHORT(BfloatPair, unsigned int, bf16x2)

} // namespace warpscope_ptx
