#pragma once
// __nv_bfloat16 and __nv_bfloat162: the upper half of a float in memory, float in arithmetic.
// Conversions are a few integer instructions where a GPU has one, which shows in instruction mixes
// and not in accesses.
#include "cuda_fp16.h"
#include "warpscope/letters_away.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};
struct __align__(2) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : bits(raw.x) {}
  __host__ __device__ operator __nv_bfloat16_raw() const { return {bits}; }
  __host__ __device__ __nv_bfloat16(float value) : bits(__warpscope_float_to_bfloat(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __nv_bfloat16((float)value) {}
  WARPSCOPE_HALF_FROM_WHOLE(__nv_bfloat16)
  __host__ __device__ operator float() const { return __warpscope_bfloat_to_float(bits); }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const { return {x.bits, y.bits}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WARPSCOPE_BOTH float __bfloat162float(__nv_bfloat16 a) { return a; }
WARPSCOPE_BOTH __nv_bfloat16 __float2bfloat16(float a) { return a; }
WARPSCOPE_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
WARPSCOPE_BOTH __nv_bfloat16 __double2bfloat16(double a) { return a; }
WARPSCOPE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
WARPSCOPE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
WARPSCOPE_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
WARPSCOPE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
WARPSCOPE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
WARPSCOPE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
WARPSCOPE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
WARPSCOPE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
WARPSCOPE_BOTH float __low2float(__nv_bfloat162 a) { return a.x; }
WARPSCOPE_BOTH float __high2float(__nv_bfloat162 a) { return a.y; }
WARPSCOPE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
WARPSCOPE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 result;
  result.bits = bits;
  return result;
}

#define WARPSCOPE_BFLOAT(name, operation)                                                          \
  WARPSCOPE_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                            \
    return (float)a operation(float) b;                                                            \
  }                                                                                                \
  WARPSCOPE_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                      \
    return {name(a.x, b.x), name(a.y, b.y)};                                                       \
  }                                                                                                \
  WARPSCOPE_BOTH __nv_bfloat16 operator operation(__nv_bfloat16 a, __nv_bfloat16 b) {              \
    return name(a, b);                                                                             \
  }                                                                                                \
  WARPSCOPE_BOTH __nv_bfloat162 operator operation(__nv_bfloat162 a, __nv_bfloat162 b) {           \
    return name##2(a, b);                                                                          \
  }                                                                                                \
  WARPSCOPE_BOTH __nv_bfloat16 &operator operation##=(__nv_bfloat16 &a, __nv_bfloat16 b) {         \
    return a = name(a, b);                                                                         \
  }                                                                                                \
  WARPSCOPE_BOTH __nv_bfloat162 &operator operation##=(__nv_bfloat162 &a, __nv_bfloat162 b) {      \
    return a = name##2(a, b);                                                                      \
  }
WARPSCOPE_BFLOAT(__hadd, +)
WARPSCOPE_BFLOAT(__hsub, -)
WARPSCOPE_BFLOAT(__hmul, *)
WARPSCOPE_BFLOAT(__hdiv, /)
#undef WARPSCOPE_BFLOAT
#define WARPSCOPE_COMPARE(name, operation)                                                         \
  WARPSCOPE_BOTH bool name(__nv_bfloat16 a, __nv_bfloat16 b) {                                     \
    return (float)a operation(float) b;                                                            \
  }                                                                                                \
  WARPSCOPE_BOTH bool operator operation(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }
WARPSCOPE_COMPARE(__hlt, <)
WARPSCOPE_COMPARE(__hle, <=)
WARPSCOPE_COMPARE(__hgt, >)
WARPSCOPE_COMPARE(__hge, >=)
WARPSCOPE_COMPARE(__heq, ==)
#undef WARPSCOPE_COMPARE
// Unlike the operator, false of what is no number.
WARPSCOPE_BOTH bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) {
  return (float)a < (float)b || (float)a > (float)b;
}
WARPSCOPE_BOTH bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a != (float)b; }
WARPSCOPE_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -(float)a; }
WARPSCOPE_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a) { return __builtin_fabsf(a); }
WARPSCOPE_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __builtin_fmaxf(a, b);
}
WARPSCOPE_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __builtin_fminf(a, b);
}
WARPSCOPE_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return (float)a * (float)b + (float)c;
}
WARPSCOPE_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WARPSCOPE_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __hdiv2(a, b); }
WARPSCOPE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
WARPSCOPE_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
WARPSCOPE_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
WARPSCOPE_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
WARPSCOPE_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
WARPSCOPE_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
WARPSCOPE_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.bits; }
WARPSCOPE_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}
#define WARPSCOPE_DIRECTED(name, direction)                                                        \
  WARPSCOPE_BOTH __nv_bfloat16 name(float a) {                                                     \
    const unsigned short bits = __warpscope_float_to_bfloat(a);                                    \
    return __ushort_as_bfloat16(__warpscope_directed(a, __warpscope_bfloat_to_float(bits), bits,   \
                                                     __warpscope_direction::direction));           \
  }
WARPSCOPE_DIRECTED(__float2bfloat16_rd, Down)
WARPSCOPE_DIRECTED(__float2bfloat16_ru, Up)
WARPSCOPE_DIRECTED(__float2bfloat16_rz, ToZero)
#undef WARPSCOPE_DIRECTED
WARPSCOPE_HALF_WHOLES(__nv_bfloat16, __bfloat16, bfloat16)
WARPSCOPE_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
#ifdef __CUDA__ // host compilers know no mathematical functions of the device
WARPSCOPE_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
#endif
#ifdef __CUDA__
WARPSCOPE_ATOMIC_SHORT(__nv_bfloat16, unsigned short, bf16)
WARPSCOPE_ATOMIC_SHORT(__nv_bfloat162, unsigned int, bf16x2)
#endif

#include "warpscope/letters_back.h"
