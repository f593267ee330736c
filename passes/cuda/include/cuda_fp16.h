#pragma once
// __half and __half2: 2 and 4 bytes in memory, float in arithmetic. Conversions are a few integer
// instructions where a GPU has one, which shows in instruction mixes and not in accesses.
#include "cuda_runtime.h"
#include "warpscope/half_bits.h"
#include "warpscope/letters_away.h"
#include "warpscope/math/halves.h"

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};
struct __align__(2) __half {
  unsigned short bits;
  __half() = default;
  __host__ __device__ __half(const __half_raw &raw) : bits(raw.x) {}
  __host__ __device__ operator __half_raw() const { return {bits}; }
  __host__ __device__ __half(float value) : bits(__warpscope_float_to_half(value)) {}
  __host__ __device__ __half(double value) : __half((float)value) {}
  WARPSCOPE_HALF_FROM_WHOLE(__half)
  __host__ __device__ operator float() const { return __warpscope_half_to_float(bits); }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2_raw &raw)
      : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const { return {x.bits, y.bits}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

WARPSCOPE_BOTH float __half2float(__half a) { return a; }
WARPSCOPE_BOTH __half __float2half(float a) { return a; }
WARPSCOPE_BOTH __half __float2half_rn(float a) { return a; }
WARPSCOPE_BOTH __half2 __halves2half2(__half a, __half b) { return {a, b}; }
WARPSCOPE_BOTH __half2 __half2half2(__half a) { return {a, a}; }
WARPSCOPE_BOTH __half2 __float2half2_rn(float a) { return {a, a}; }
WARPSCOPE_BOTH __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
WARPSCOPE_BOTH __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
WARPSCOPE_BOTH float2 __half22float2(__half2 a) { return {a.x, a.y}; }
WARPSCOPE_BOTH __half __low2half(__half2 a) { return a.x; }
WARPSCOPE_BOTH __half __high2half(__half2 a) { return a.y; }
WARPSCOPE_BOTH float __low2float(__half2 a) { return a.x; }
WARPSCOPE_BOTH float __high2float(__half2 a) { return a.y; }
WARPSCOPE_BOTH unsigned short __half_as_ushort(__half a) { return a.bits; }
WARPSCOPE_BOTH __half __ushort_as_half(unsigned short bits) {
  __half result;
  result.bits = bits;
  return result;
}

#define WARPSCOPE_HALF(name, operation)                                                            \
  WARPSCOPE_BOTH __half name(__half a, __half b) { return (float)a operation(float) b; }           \
  WARPSCOPE_BOTH __half2 name##2(__half2 a, __half2 b) {                                           \
    return {name(a.x, b.x), name(a.y, b.y)};                                                       \
  }                                                                                                \
  WARPSCOPE_BOTH __half operator operation(__half a, __half b) { return name(a, b); }              \
  WARPSCOPE_BOTH __half2 operator operation(__half2 a, __half2 b) { return name##2(a, b); }        \
  WARPSCOPE_BOTH __half &operator operation##=(__half &a, __half b) { return a = name(a, b); }     \
  WARPSCOPE_BOTH __half2 &operator operation##=(__half2 &a, __half2 b) { return a = name##2(a, b); }
WARPSCOPE_HALF(__hadd, +)
WARPSCOPE_HALF(__hsub, -)
WARPSCOPE_HALF(__hmul, *)
WARPSCOPE_HALF(__hdiv, /)
#undef WARPSCOPE_HALF
WARPSCOPE_BOTH __half2 __h2div(__half2 a, __half2 b) { return __hdiv2(a, b); }
#define WARPSCOPE_COMPARE(name, operation)                                                         \
  WARPSCOPE_BOTH bool name(__half a, __half b) { return (float)a operation(float) b; }             \
  WARPSCOPE_BOTH bool operator operation(__half a, __half b) { return name(a, b); }
WARPSCOPE_COMPARE(__hlt, <)
WARPSCOPE_COMPARE(__hle, <=)
WARPSCOPE_COMPARE(__hgt, >)
WARPSCOPE_COMPARE(__hge, >=)
WARPSCOPE_COMPARE(__heq, ==)
#undef WARPSCOPE_COMPARE
// Unlike the operator, false of what is no number.
WARPSCOPE_BOTH bool __hne(__half a, __half b) { return (float)a < (float)b || (float)a > (float)b; }
WARPSCOPE_BOTH bool operator!=(__half a, __half b) { return (float)a != (float)b; }
WARPSCOPE_BOTH __half __hneg(__half a) { return -(float)a; }
WARPSCOPE_BOTH __half __habs(__half a) { return __builtin_fabsf(a); }
WARPSCOPE_BOTH __half __hmax(__half a, __half b) { return __builtin_fmaxf(a, b); }
WARPSCOPE_BOTH __half __hmin(__half a, __half b) { return __builtin_fminf(a, b); }
WARPSCOPE_BOTH __half __hfma(__half a, __half b, __half c) {
  return (float)a * (float)b + (float)c;
}
WARPSCOPE_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WARPSCOPE_BOTH __half __double2half(double a) { return a; }
WARPSCOPE_BOTH __half2 make_half2(__half a, __half b) { return {a, b}; }
WARPSCOPE_BOTH __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
WARPSCOPE_BOTH __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
WARPSCOPE_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
WARPSCOPE_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
WARPSCOPE_BOTH __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
WARPSCOPE_BOTH short __half_as_short(__half a) { return (short)a.bits; }
WARPSCOPE_BOTH __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }
#define WARPSCOPE_DIRECTED(name, direction)                                                        \
  WARPSCOPE_BOTH __half name(float a) {                                                            \
    const unsigned short bits = __warpscope_float_to_half(a);                                      \
    return __ushort_as_half(__warpscope_directed(a, __warpscope_half_to_float(bits), bits,         \
                                                 __warpscope_direction::direction));               \
  }
WARPSCOPE_DIRECTED(__float2half_rd, Down)
WARPSCOPE_DIRECTED(__float2half_ru, Up)
WARPSCOPE_DIRECTED(__float2half_rz, ToZero)
#undef WARPSCOPE_DIRECTED
WARPSCOPE_HALF_WHOLES(__half, __half, half)
WARPSCOPE_HALF_ARITHMETIC(__half, __half2)
#ifdef __CUDA__ // host compilers know no mathematical functions of the device
WARPSCOPE_HALF_FUNCTIONS(__half, __half2)
#endif
#ifdef __CUDA__
#include "warpscope/half_atomics.h"
WARPSCOPE_ATOMIC_SHORT(__half, unsigned short, f16)
WARPSCOPE_ATOMIC_SHORT(__half2, unsigned int, f16x2)
#endif

#include "warpscope/letters_back.h"
