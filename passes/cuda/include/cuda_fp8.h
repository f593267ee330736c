#pragma once
// Floating point in 8 bits: storage and conversions, which is what these types have. Meanings:
// CUDA Math API, "FP8 Intrinsics"; formats: OCP 8-bit Floating Point Specification.
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "warpscope/letters_away.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// Of a code without its sign; NaN and, in E5M2, infinity come last.
WARPSCOPE_BOTH double __warpscope_fp8_size(unsigned int code, bool e4m3) {
  const int digits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const int exponent = (int)(code >> digits), fraction = (int)(code & ((1u << digits) - 1));
  double unit = 1;
  for (int i = exponent > 0 ? exponent : 1; i < bias + digits; ++i)
    unit /= 2;
  for (int i = bias + digits; i < exponent; ++i)
    unit *= 2;
  return unit * (exponent > 0 ? fraction + (1 << digits) : fraction);
}
WARPSCOPE_BOTH float __warpscope_fp8_to_float(__nv_fp8_storage_t bits, bool e4m3) {
  const unsigned int code = bits & 0x7fu;
  const float sign = bits & 0x80u ? -1.0f : 1.0f;
  if (e4m3 ? code == 0x7f : code > 0x7c)
    return __builtin_nanf("");
  return sign *
         (!e4m3 && code == 0x7c ? __builtin_inff() : (float)__warpscope_fp8_size(code, e4m3));
}
// The nearest code, of two the even one. What lies beyond the largest number becomes that, or NaN
// (E4M3) or infinity (E5M2).
WARPSCOPE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double a, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const unsigned int last = e4m3 ? 0x7e : 0x7b, beyond = e4m3 ? 0x7f : 0x7c;
  const __nv_fp8_storage_t sign = __builtin_signbit(a) ? 0x80 : 0;
  const double size = sign ? -a : a;
  if (a != a)
    return 0x7f;
  unsigned int code = 0;
  while (code < last && __warpscope_fp8_size(code + 1, e4m3) <= size)
    ++code;
  const double here = __warpscope_fp8_size(code, e4m3);
  const double next = __warpscope_fp8_size(code + 1, e4m3);
  const bool is_up = size - here > next - size || (size - here == next - size && code % 2 == 1);
  if (size > here && is_up)
    ++code;
  return (__nv_fp8_storage_t)(sign | (code <= last                   ? code
                                      : saturation == __NV_SATFINITE ? last
                                                                     : beyond));
}
WARPSCOPE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float a, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(a, saturation, kind);
}
WARPSCOPE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 a, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(a.x, saturation, kind) |
                                __nv_cvt_float_to_fp8(a.y, saturation, kind) << 8);
}
WARPSCOPE_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits,
                                                  __nv_fp8_interpretation_t kind) {
  return __half(__warpscope_fp8_to_float(bits, kind == __NV_E4M3));
}

#define WARPSCOPE_FP8(Name, Kind)                                                                  \
  struct __nv_fp8_##Name {                                                                         \
    __nv_fp8_storage_t __x;                                                                        \
    __nv_fp8_##Name() = default;                                                                   \
    template <class T>                                                                             \
    __host__ __device__ explicit __nv_fp8_##Name(T a)                                              \
        : __x(__nv_cvt_double_to_fp8((double)(float)a, __NV_SATFINITE, Kind)) {}                   \
    __host__ __device__ explicit __nv_fp8_##Name(double a)                                         \
        : __x(__nv_cvt_double_to_fp8(a, __NV_SATFINITE, Kind)) {}                                  \
    __host__ __device__ operator float() const {                                                   \
      return __warpscope_fp8_to_float(__x, Kind == __NV_E4M3);                                     \
    }                                                                                              \
    __host__ __device__ explicit operator __half() const { return (float)*this; }                  \
    __host__ __device__ explicit operator __nv_bfloat16() const { return (float)*this; }           \
    __host__ __device__ explicit operator double() const { return (float)*this; }                  \
  };                                                                                               \
  struct __nv_fp8x2_##Name {                                                                       \
    __nv_fp8x2_storage_t __x;                                                                      \
    __nv_fp8x2_##Name() = default;                                                                 \
    __host__ __device__ explicit __nv_fp8x2_##Name(float2 a)                                       \
        : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, Kind)) {}                                \
    __host__ __device__ explicit operator float2() const {                                         \
      return {__warpscope_fp8_to_float((__nv_fp8_storage_t)__x, Kind == __NV_E4M3),                \
              __warpscope_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), Kind == __NV_E4M3)};        \
    }                                                                                              \
  };
WARPSCOPE_FP8(e4m3, __NV_E4M3)
WARPSCOPE_FP8(e5m2, __NV_E5M2)
#undef WARPSCOPE_FP8

#include "warpscope/letters_back.h"
