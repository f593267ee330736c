#pragma once
// What half and bfloat16 have in common: one function more is one line here. Results are those of
// float, rounded once. `Type` is the number, `Pair` two of them.
#include "../half_bits.h"

// Constructors from whole numbers, rounded once.
#define WARPSCOPE_HALF_FROM_WHOLE(Type)                                                            \
  __host__ __device__ Type(int value) : Type(__warpscope_odd_float(value)) {}                      \
  __host__ __device__ Type(unsigned int value) : Type(__warpscope_odd_float(value)) {}             \
  __host__ __device__ Type(long value) : Type(__warpscope_odd_float(value)) {}                     \
  __host__ __device__ Type(unsigned long value) : Type(__warpscope_odd_float(value)) {}            \
  __host__ __device__ Type(long long value) : Type(__warpscope_odd_float(value)) {}                \
  __host__ __device__ Type(unsigned long long value) : Type(__warpscope_odd_float(value)) {}
// `name` for one and `name##2` for two.
#define WARPSCOPE_HALF_BOTH(Type, Pair, name, value)                                               \
  WARPSCOPE_BOTH Type name(Type a, Type b) { return value; }                                       \
  WARPSCOPE_BOTH Pair name##2(Pair a, Pair b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define WARPSCOPE_HALF_PAIRS(Type, Pair, name)                                                     \
  WARPSCOPE_BOTH Pair name##2(Pair a, Pair b) { return {name(a.x, b.x), name(a.y, b.y)}; }
// Comparisons: of pairs as numbers 1 and 0, and if it holds for both; `u` also where one is a NaN.
#define WARPSCOPE_HALF_COMPARE(Type, Pair, name)                                                   \
  WARPSCOPE_BOTH bool __h##name##u(Type a, Type b) {                                               \
    return __h##name(a, b) || __hisnan(a) || __hisnan(b);                                          \
  }                                                                                                \
  WARPSCOPE_BOTH Pair __h##name##2(Pair a, Pair b) {                                               \
    return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f};                 \
  }                                                                                                \
  WARPSCOPE_BOTH Pair __h##name##u2(Pair a, Pair b) {                                              \
    return {__h##name##u(a.x, b.x) ? 1.0f : 0.0f, __h##name##u(a.y, b.y) ? 1.0f : 0.0f};           \
  }                                                                                                \
  WARPSCOPE_BOTH bool __hb##name##2(Pair a, Pair b) {                                              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                             \
  }                                                                                                \
  WARPSCOPE_BOTH bool __hb##name##u2(Pair a, Pair b) {                                             \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                       \
  }

WARPSCOPE_BOTH float __warpscope_zero_to_one(float a) { return a > 0 ? (a < 1 ? a : 1) : 0; }
WARPSCOPE_BOTH float __warpscope_not_below_zero(float a) { return a < 0 ? 0 : a; }

#define WARPSCOPE_HALF_ARITHMETIC(Type, Pair)                                                      \
  WARPSCOPE_HALF_BOTH(Type, Pair, __hadd_sat, __warpscope_zero_to_one(__hadd(a, b)))               \
  WARPSCOPE_HALF_BOTH(Type, Pair, __hsub_sat, __warpscope_zero_to_one(__hsub(a, b)))               \
  WARPSCOPE_HALF_BOTH(Type, Pair, __hmul_sat, __warpscope_zero_to_one(__hmul(a, b)))               \
  WARPSCOPE_BOTH Type __hadd_rn(Type a, Type b) { return __hadd(a, b); }                           \
  WARPSCOPE_BOTH Type __hsub_rn(Type a, Type b) { return __hsub(a, b); }                           \
  WARPSCOPE_BOTH Type __hmul_rn(Type a, Type b) { return __hmul(a, b); }                           \
  WARPSCOPE_BOTH Pair __hadd2_rn(Pair a, Pair b) { return __hadd2(a, b); }                         \
  WARPSCOPE_BOTH Pair __hsub2_rn(Pair a, Pair b) { return __hsub2(a, b); }                         \
  WARPSCOPE_BOTH Pair __hmul2_rn(Pair a, Pair b) { return __hmul2(a, b); }                         \
  WARPSCOPE_BOTH Pair __hadd2_sat(Pair a, Pair b) { return __hadd_sat2(a, b); }                    \
  WARPSCOPE_BOTH Pair __hsub2_sat(Pair a, Pair b) { return __hsub_sat2(a, b); }                    \
  WARPSCOPE_BOTH Pair __hmul2_sat(Pair a, Pair b) { return __hmul_sat2(a, b); }                    \
  WARPSCOPE_HALF_PAIRS(Type, Pair, __hmax)                                                         \
  WARPSCOPE_HALF_PAIRS(Type, Pair, __hmin)                                                         \
  WARPSCOPE_BOTH bool __hisnan(Type a) { return (float)a != (float)a; }                            \
  WARPSCOPE_BOTH Pair __hisnan2(Pair a) {                                                          \
    return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};                             \
  }                                                                                                \
  WARPSCOPE_BOTH int __hisinf(Type a) {                                                            \
    return __builtin_fabsf(a) != __builtin_inff() ? 0 : (float)a < 0 ? -1 : 1;                     \
  }                                                                                                \
  WARPSCOPE_HALF_BOTH(Type, Pair, __hmax_nan,                                                      \
                      __hisnan(a) || __hisnan(b) ? (float)a + (float)b : (float)__hmax(a, b))      \
  WARPSCOPE_HALF_BOTH(Type, Pair, __hmin_nan,                                                      \
                      __hisnan(a) || __hisnan(b) ? (float)a + (float)b : (float)__hmin(a, b))      \
  WARPSCOPE_BOTH Pair __hmax2_nan(Pair a, Pair b) { return __hmax_nan2(a, b); }                    \
  WARPSCOPE_BOTH Pair __hmin2_nan(Pair a, Pair b) { return __hmin_nan2(a, b); }                    \
  WARPSCOPE_HALF_COMPARE(Type, Pair, eq)                                                           \
  WARPSCOPE_HALF_COMPARE(Type, Pair, lt)                                                           \
  WARPSCOPE_HALF_COMPARE(Type, Pair, le)                                                           \
  WARPSCOPE_HALF_COMPARE(Type, Pair, gt)                                                           \
  WARPSCOPE_HALF_COMPARE(Type, Pair, ge)                                                           \
  WARPSCOPE_HALF_COMPARE(Type, Pair, ne)                                                           \
  WARPSCOPE_BOTH bool operator==(Pair a, Pair b) { return __hbeq2(a, b); }                         \
  WARPSCOPE_BOTH bool operator<(Pair a, Pair b) { return __hblt2(a, b); }                          \
  WARPSCOPE_BOTH bool operator<=(Pair a, Pair b) { return __hble2(a, b); }                         \
  WARPSCOPE_BOTH bool operator>(Pair a, Pair b) { return __hbgt2(a, b); }                          \
  WARPSCOPE_BOTH bool operator>=(Pair a, Pair b) { return __hbge2(a, b); }                         \
  WARPSCOPE_BOTH bool operator!=(Pair a, Pair b) { return __hbneu2(a, b); }                        \
  WARPSCOPE_BOTH Pair __hneg2(Pair a) { return {__hneg(a.x), __hneg(a.y)}; }                       \
  WARPSCOPE_BOTH Pair __habs2(Pair a) { return {__habs(a.x), __habs(a.y)}; }                       \
  WARPSCOPE_BOTH Pair operator-(Pair a) { return __hneg2(a); }                                     \
  WARPSCOPE_BOTH Type operator-(Type a) { return __hneg(a); }                                      \
  WARPSCOPE_BOTH Type operator+(Type a) { return a; }                                              \
  WARPSCOPE_BOTH Type &operator++(Type &a) { return a = (float)a + 1; }                            \
  WARPSCOPE_BOTH Type &operator--(Type &a) { return a = (float)a - 1; }                            \
  WARPSCOPE_BOTH Type operator++(Type &a, int) {                                                   \
    const Type old = a;                                                                            \
    ++a;                                                                                           \
    return old;                                                                                    \
  }                                                                                                \
  WARPSCOPE_BOTH Type operator--(Type &a, int) {                                                   \
    const Type old = a;                                                                            \
    --a;                                                                                           \
    return old;                                                                                    \
  }                                                                                                \
  WARPSCOPE_BOTH Type __hfma_sat(Type a, Type b, Type c) {                                         \
    return __warpscope_zero_to_one(__hfma(a, b, c));                                               \
  }                                                                                                \
  WARPSCOPE_BOTH Type __hfma_relu(Type a, Type b, Type c) {                                        \
    return __warpscope_not_below_zero(__hfma(a, b, c));                                            \
  }                                                                                                \
  WARPSCOPE_BOTH Pair __hfma2_sat(Pair a, Pair b, Pair c) {                                        \
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                                 \
  }                                                                                                \
  WARPSCOPE_BOTH Pair __hfma2_relu(Pair a, Pair b, Pair c) {                                       \
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                               \
  }                                                                                                \
  /* c + a b of complex numbers, the real part in x */                                             \
  WARPSCOPE_BOTH Pair __hcmadd(Pair a, Pair b, Pair c) {                                           \
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),                                       \
            __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};                                              \
  }

// Functions of float that only the device has.
#define WARPSCOPE_HALF_FUNCTION(Type, Pair, name, function)                                        \
  WARPSCOPE_DEVICE Type h##name(Type a) { return function(a); }                                    \
  WARPSCOPE_DEVICE Pair h2##name(Pair a) { return {h##name(a.x), h##name(a.y)}; }
#define WARPSCOPE_HALF_FUNCTIONS(Type, Pair)                                                       \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, sqrt, sqrtf)                                                 \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, rsqrt, rsqrtf)                                               \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, rcp, 1.0f / (float))                                         \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, exp, expf)                                                   \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, exp2, exp2f)                                                 \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, exp10, exp10f)                                               \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, log, logf)                                                   \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, log2, log2f)                                                 \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, log10, log10f)                                               \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, sin, sinf)                                                   \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, cos, cosf)                                                   \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, floor, floorf)                                               \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, ceil, ceilf)                                                 \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, trunc, truncf)                                               \
  WARPSCOPE_HALF_FUNCTION(Type, Pair, rint, rintf)

// Whole numbers and back. `type` is as CUDA writes it in names: short, ull.
#define WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, type, Whole, Through)                       \
  WARPSCOPE_HALF_TO_WHOLE(Type, to_type##2##type##_rn, Whole, Through, rintf)                      \
  WARPSCOPE_HALF_TO_WHOLE(Type, to_type##2##type##_rz, Whole, Through, truncf)                     \
  WARPSCOPE_HALF_TO_WHOLE(Type, to_type##2##type##_rd, Whole, Through, floorf)                     \
  WARPSCOPE_HALF_TO_WHOLE(Type, to_type##2##type##_ru, Whole, Through, ceilf)                      \
  WARPSCOPE_BOTH Type __##type##2##from_type##_rn(Whole a) { return a; }                           \
  WARPSCOPE_BOTH Type __##type##2##from_type##_rz(Whole a) {                                       \
    return __float2##from_type##_rz(__warpscope_odd_float(a));                                     \
  }                                                                                                \
  WARPSCOPE_BOTH Type __##type##2##from_type##_rd(Whole a) {                                       \
    return __float2##from_type##_rd(__warpscope_odd_float(a));                                     \
  }                                                                                                \
  WARPSCOPE_BOTH Type __##type##2##from_type##_ru(Whole a) {                                       \
    return __float2##from_type##_ru(__warpscope_odd_float(a));                                     \
  }
#define WARPSCOPE_HALF_TO_WHOLE(Type, name, Whole, Through, round)                                 \
  WARPSCOPE_BOTH Whole name(Type a) {                                                              \
    return __warpscope_fit_whole<Whole, Through>(__builtin_##round(a));                            \
  }
#define WARPSCOPE_HALF_WHOLES(Type, to_type, from_type)                                            \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, int, int, int)                                    \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, uint, unsigned int, unsigned int)                 \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, short, short, int)                                \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, ushort, unsigned short, unsigned int)             \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, ll, long long, long long)                         \
  WARPSCOPE_HALF_WHOLE(Type, to_type, from_type, ull, unsigned long long, unsigned long long)
