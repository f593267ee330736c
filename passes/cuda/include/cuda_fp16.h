#pragma once
// __half and __half2: 2 and 4 bytes in memory, float in arithmetic. Conversions are a few integer
// instructions where a GPU has one, which shows in instruction mixes and not in accesses.
#include "cuda_runtime.h"
#include "warpscope/half_bits.h"
#include "warpscope/letters_away.h"

struct __align__(2) __half {
  unsigned short bits;
  __half() = default;
  __host__ __device__ __half(float value) : bits(__warpscope_float_to_half(value)) {}
  __host__ __device__ __half(double value) : __half((float)value) {}
  __host__ __device__ __half(int value) : __half((float)value) {}
  __host__ __device__ operator float() const { return __warpscope_half_to_float(bits); }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;

WARPSCOPE_BOTH float __half2float(__half a) { return a; }
WARPSCOPE_BOTH __half __float2half(float a) { return a; }
WARPSCOPE_BOTH __half __float2half_rn(float a) { return a; }
WARPSCOPE_BOTH __half __int2half_rn(int a) { return (float)a; }
WARPSCOPE_BOTH int __half2int_rn(__half a) { return (int)__builtin_rintf(a); }
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
WARPSCOPE_COMPARE(__hne, !=)
#undef WARPSCOPE_COMPARE
WARPSCOPE_BOTH __half __hneg(__half a) { return -(float)a; }
WARPSCOPE_BOTH __half __habs(__half a) { return __builtin_fabsf(a); }
WARPSCOPE_BOTH __half __hmax(__half a, __half b) { return a < b ? b : a; }
WARPSCOPE_BOTH __half __hmin(__half a, __half b) { return b < a ? b : a; }
WARPSCOPE_BOTH __half __hfma(__half a, __half b, __half c) {
  return (float)a * (float)b + (float)c;
}
WARPSCOPE_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
#ifdef __CUDA__ // host compilers know no mathematical functions of the device
WARPSCOPE_DEVICE __half hsqrt(__half a) { return sqrtf(a); }
WARPSCOPE_DEVICE __half hrsqrt(__half a) { return rsqrtf(a); }
WARPSCOPE_DEVICE __half hexp(__half a) { return expf(a); }
WARPSCOPE_DEVICE __half hlog(__half a) { return logf(a); }
WARPSCOPE_DEVICE __half hsin(__half a) { return sinf(a); }
WARPSCOPE_DEVICE __half hcos(__half a) { return cosf(a); }
#endif
#ifdef __CUDA__
#include "warpscope/half_atomics.h"
WARPSCOPE_ATOMIC_SHORT(__half, unsigned short, f16)
WARPSCOPE_ATOMIC_SHORT(__half2, unsigned int, f16x2)
#endif

#include "warpscope/letters_back.h"
