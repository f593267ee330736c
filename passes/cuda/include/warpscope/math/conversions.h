#pragma once
// Conversions between numbers with a rounding mode. What does not fit becomes the nearest that
// does; a NaN becomes 0, and 1 with 63 zeros behind it where 64 bits are at either end (PTX ISA,
// cvt).
template <class To> struct __warpscope_range;
template <> struct __warpscope_range<int> {
  static constexpr int first = -2147483647 - 1, last = 2147483647;
};
template <> struct __warpscope_range<unsigned int> {
  static constexpr unsigned int first = 0, last = 4294967295u;
};
template <> struct __warpscope_range<long long> {
  static constexpr long long first = -9223372036854775807ll - 1, last = 9223372036854775807ll;
};
template <> struct __warpscope_range<unsigned long long> {
  static constexpr unsigned long long first = 0, last = 18446744073709551615ull;
};
// `a` is whole.
template <class To, class From> WARPSCOPE_DEVICE To __warpscope_whole(From a) {
  typedef __warpscope_range<To> Range;
  const From beyond = (From)(Range::last / 2 + 1) * 2; // exact
  if (a != a)
    return sizeof(To) + sizeof(From) == 8 ? 0 : (To)(1ull << (sizeof(To) * 8 - 1));
  return a < (From)Range::first ? Range::first : a >= beyond ? Range::last : (To)a;
}
#define WARPSCOPE_TO_WHOLE(name, to, from, suffix)                                                 \
  WARPSCOPE_DEVICE to name##_rn(from a) { return __warpscope_whole<to>(rint##suffix(a)); }         \
  WARPSCOPE_DEVICE to name##_rz(from a) { return __warpscope_whole<to>(trunc##suffix(a)); }        \
  WARPSCOPE_DEVICE to name##_rd(from a) { return __warpscope_whole<to>(floor##suffix(a)); }        \
  WARPSCOPE_DEVICE to name##_ru(from a) { return __warpscope_whole<to>(ceil##suffix(a)); }
WARPSCOPE_TO_WHOLE(__float2int, int, float, f)
WARPSCOPE_TO_WHOLE(__float2uint, unsigned int, float, f)
WARPSCOPE_TO_WHOLE(__float2ll, long long, float, f)
WARPSCOPE_TO_WHOLE(__float2ull, unsigned long long, float, f)
WARPSCOPE_TO_WHOLE(__double2int, int, double, )
WARPSCOPE_TO_WHOLE(__double2uint, unsigned int, double, )
WARPSCOPE_TO_WHOLE(__double2ll, long long, double, )
WARPSCOPE_TO_WHOLE(__double2ull, unsigned long long, double, )
#undef WARPSCOPE_TO_WHOLE

// Positive if the nearest number is smaller than `a`, negative if it is larger.
template <class To, class From>
WARPSCOPE_DEVICE double __warpscope_whole_lacks(From a, To nearest) {
  if (nearest >= (To)(__warpscope_range<From>::last / 2 + 1) * 2)
    return -1;
  return (From)nearest < a ? 1 : (From)nearest > a ? -1 : 0;
}
#define WARPSCOPE_FROM_WHOLE(name, from, to)                                                       \
  WARPSCOPE_DEVICE to name##_rn(from a) { return (to)a; }                                          \
  WARPSCOPE_DEVICE to name##_rd(from a) {                                                          \
    return __warpscope_down((to)a, __warpscope_whole_lacks(a, (to)a));                             \
  }                                                                                                \
  WARPSCOPE_DEVICE to name##_ru(from a) {                                                          \
    return __warpscope_up((to)a, __warpscope_whole_lacks(a, (to)a));                               \
  }                                                                                                \
  WARPSCOPE_DEVICE to name##_rz(from a) {                                                          \
    return __warpscope_to_zero((to)a, __warpscope_whole_lacks(a, (to)a));                          \
  }
WARPSCOPE_FROM_WHOLE(__int2float, int, float)
WARPSCOPE_FROM_WHOLE(__uint2float, unsigned int, float)
WARPSCOPE_FROM_WHOLE(__ll2float, long long, float)
WARPSCOPE_FROM_WHOLE(__ull2float, unsigned long long, float)
WARPSCOPE_FROM_WHOLE(__ll2double, long long, double)
WARPSCOPE_FROM_WHOLE(__ull2double, unsigned long long, double)
#undef WARPSCOPE_FROM_WHOLE
WARPSCOPE_DEVICE double __int2double_rn(int a) { return a; }
WARPSCOPE_DEVICE double __uint2double_rn(unsigned int a) { return a; }
WARPSCOPE_DEVICE float __double2float_rn(double a) { return (float)a; }

// Without flushing of subnormal numbers, whatever the options say.
WARPSCOPE_DEVICE float __fmaf_ieee_rn(float a, float b, float c) { return fmaf(a, b, c); }
WARPSCOPE_DEVICE float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }
WARPSCOPE_DEVICE float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
WARPSCOPE_DEVICE float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }

// Names of CUDA's early years. Templates, so that a program may have functions of these names.
#define WARPSCOPE_EARLY(result, name, parameters, value)                                           \
  template <int = 0> WARPSCOPE_DEVICE result name parameters { return value; }
WARPSCOPE_EARLY(int, mulhi, (int a, int b), __mulhi(a, b))
WARPSCOPE_EARLY(unsigned int, umulhi, (unsigned int a, unsigned int b), __umulhi(a, b))
WARPSCOPE_EARLY(long long, mul64hi, (long long a, long long b), __mul64hi(a, b))
WARPSCOPE_EARLY(int, mul24, (int a, int b), __mul24(a, b))
WARPSCOPE_EARLY(unsigned int, umul24, (unsigned int a, unsigned int b), __umul24(a, b))
WARPSCOPE_EARLY(int, float_as_int, (float a), __float_as_int(a))
WARPSCOPE_EARLY(float, int_as_float, (int a), __int_as_float(a))
WARPSCOPE_EARLY(unsigned int, float_as_uint, (float a), __float_as_uint(a))
WARPSCOPE_EARLY(float, uint_as_float, (unsigned int a), __uint_as_float(a))
WARPSCOPE_EARLY(float, saturate, (float a), __saturatef(a))
WARPSCOPE_EARLY(unsigned int, umin, (unsigned int a, unsigned int b), a < b ? a : b)
WARPSCOPE_EARLY(unsigned int, umax, (unsigned int a, unsigned int b), a < b ? b : a)
WARPSCOPE_EARLY(long long, llmin, (long long a, long long b), a < b ? a : b)
WARPSCOPE_EARLY(long long, llmax, (long long a, long long b), a < b ? b : a)
WARPSCOPE_EARLY(unsigned long long, ullmin, (unsigned long long a, unsigned long long b),
                a < b ? a : b)
WARPSCOPE_EARLY(unsigned long long, ullmax, (unsigned long long a, unsigned long long b),
                a < b ? b : a)
#undef WARPSCOPE_EARLY
