#pragma once
// CUDA's math functions, each a built-in of OpenCL. Clang declares them first (before <cmath>,
// whose constexpr functions would otherwise win).
#include <__clang_cuda_math_forward_declares.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// name(float) and name(double) with CUDA's name##f next to them; `mangled` is "<length><OpenCL
// name>".
#define WARPSCOPE_MATH1(name, mangled)                                                             \
  WARPSCOPE_PURE float _Z##mangled##f(float);                                                      \
  WARPSCOPE_PURE double _Z##mangled##d(double);                                                    \
  WARPSCOPE_DEVICE float name##f(float a) { return _Z##mangled##f(a); }                            \
  WARPSCOPE_DEVICE float name(float a) { return _Z##mangled##f(a); }                               \
  WARPSCOPE_DEVICE double name(double a) { return _Z##mangled##d(a); }
#define WARPSCOPE_MATH2(name, mangled)                                                             \
  WARPSCOPE_PURE float _Z##mangled##ff(float, float);                                              \
  WARPSCOPE_PURE double _Z##mangled##dd(double, double);                                           \
  WARPSCOPE_DEVICE float name##f(float a, float b) { return _Z##mangled##ff(a, b); }               \
  WARPSCOPE_DEVICE float name(float a, float b) { return _Z##mangled##ff(a, b); }                  \
  WARPSCOPE_DEVICE double name(double a, double b) { return _Z##mangled##dd(a, b); }

WARPSCOPE_MATH1(acos, 4acos)
WARPSCOPE_MATH1(acosh, 5acosh)
WARPSCOPE_MATH1(asin, 4asin)
WARPSCOPE_MATH1(asinh, 5asinh)
WARPSCOPE_MATH1(atan, 4atan)
WARPSCOPE_MATH1(atanh, 5atanh)
WARPSCOPE_MATH1(cbrt, 4cbrt)
WARPSCOPE_MATH1(ceil, 4ceil)
WARPSCOPE_MATH1(cos, 3cos)
WARPSCOPE_MATH1(cosh, 4cosh)
WARPSCOPE_MATH1(cospi, 5cospi)
WARPSCOPE_MATH1(erf, 3erf)
WARPSCOPE_MATH1(erfc, 4erfc)
WARPSCOPE_MATH1(exp, 3exp)
WARPSCOPE_MATH1(exp2, 4exp2)
WARPSCOPE_MATH1(exp10, 5exp10)
WARPSCOPE_MATH1(expm1, 5expm1)
WARPSCOPE_MATH1(fabs, 4fabs)
WARPSCOPE_MATH1(floor, 5floor)
WARPSCOPE_MATH1(lgamma, 6lgamma)
WARPSCOPE_MATH1(log, 3log)
WARPSCOPE_MATH1(log10, 5log10)
WARPSCOPE_MATH1(log1p, 5log1p)
WARPSCOPE_MATH1(log2, 4log2)
WARPSCOPE_MATH1(logb, 4logb)
WARPSCOPE_MATH1(nearbyint, 4rint)
WARPSCOPE_MATH1(rint, 4rint)
WARPSCOPE_MATH1(round, 5round)
WARPSCOPE_MATH1(rsqrt, 5rsqrt)
WARPSCOPE_MATH1(sin, 3sin)
WARPSCOPE_MATH1(sinh, 4sinh)
WARPSCOPE_MATH1(sinpi, 5sinpi)
WARPSCOPE_MATH1(sqrt, 4sqrt)
WARPSCOPE_MATH1(tan, 3tan)
WARPSCOPE_MATH1(tanh, 4tanh)
WARPSCOPE_MATH1(tgamma, 6tgamma)
WARPSCOPE_MATH1(trunc, 5trunc)
WARPSCOPE_MATH2(atan2, 5atan2)
WARPSCOPE_MATH2(copysign, 8copysign)
WARPSCOPE_MATH2(fdim, 4fdim)
WARPSCOPE_MATH2(fmax, 4fmax)
WARPSCOPE_MATH2(fmin, 4fmin)
WARPSCOPE_MATH2(fmod, 4fmod)
WARPSCOPE_MATH2(hypot, 5hypot)
WARPSCOPE_MATH2(nextafter, 9nextafter)
WARPSCOPE_MATH2(pow, 3pow)
WARPSCOPE_MATH2(remainder, 9remainder)
#undef WARPSCOPE_MATH1
#undef WARPSCOPE_MATH2

WARPSCOPE_PURE float _Z3fmafff(float, float, float);
WARPSCOPE_PURE double _Z3fmaddd(double, double, double);
WARPSCOPE_DEVICE float fmaf(float a, float b, float c) { return _Z3fmafff(a, b, c); }
WARPSCOPE_DEVICE float fma(float a, float b, float c) { return _Z3fmafff(a, b, c); }
WARPSCOPE_DEVICE double fma(double a, double b, double c) { return _Z3fmaddd(a, b, c); }
WARPSCOPE_DEVICE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
WARPSCOPE_DEVICE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

WARPSCOPE_PURE float _Z5ldexpfi(float, int);
WARPSCOPE_PURE double _Z5ldexpdi(double, int);
WARPSCOPE_DEVICE float ldexpf(float a, int n) { return _Z5ldexpfi(a, n); }
WARPSCOPE_DEVICE float ldexp(float a, int n) { return _Z5ldexpfi(a, n); }
WARPSCOPE_DEVICE double ldexp(double a, int n) { return _Z5ldexpdi(a, n); }
WARPSCOPE_DEVICE float scalbnf(float a, int n) { return ldexpf(a, n); }
WARPSCOPE_DEVICE double scalbn(double a, int n) { return ldexp(a, n); }
WARPSCOPE_PURE float _Z4pownfi(float, int);
WARPSCOPE_PURE double _Z4powndi(double, int);
WARPSCOPE_DEVICE float pow(float a, int n) { return _Z4pownfi(a, n); }
WARPSCOPE_DEVICE double pow(double a, int n) { return _Z4powndi(a, n); }
WARPSCOPE_DEVICE float powif(float a, int n) { return _Z4pownfi(a, n); }
WARPSCOPE_DEVICE double powi(double a, int n) { return _Z4powndi(a, n); }

WARPSCOPE_DEVICE void sincosf(float a, float *sine, float *cosine) {
  *sine = sinf(a);
  *cosine = cosf(a);
}
WARPSCOPE_DEVICE void sincos(double a, double *sine, double *cosine) {
  *sine = sin(a);
  *cosine = cos(a);
}
WARPSCOPE_DEVICE void sincospif(float a, float *sine, float *cosine) {
  *sine = sinpif(a);
  *cosine = cospif(a);
}
WARPSCOPE_DEVICE float modff(float a, float *whole) {
  *whole = truncf(a);
  return copysignf(__builtin_isinf(a) ? 0.0f : a - *whole, a);
}
WARPSCOPE_DEVICE double modf(double a, double *whole) {
  *whole = trunc(a);
  return copysign(__builtin_isinf(a) ? 0.0 : a - *whole, a);
}
WARPSCOPE_DEVICE int __signbitf(float a) { return __builtin_signbitf(a); }
WARPSCOPE_DEVICE bool isnan(float a) { return a != a; }
WARPSCOPE_DEVICE bool isnan(double a) { return a != a; }
WARPSCOPE_DEVICE bool isinf(float a) { return fabsf(a) == __builtin_inff(); }
WARPSCOPE_DEVICE bool isinf(double a) { return fabs(a) == __builtin_inf(); }
WARPSCOPE_DEVICE bool isfinite(float a) { return fabsf(a) < __builtin_inff(); }
WARPSCOPE_DEVICE bool isfinite(double a) { return fabs(a) < __builtin_inf(); }
WARPSCOPE_DEVICE long lroundf(float a) { return static_cast<long>(roundf(a)); }
WARPSCOPE_DEVICE long lrintf(float a) { return static_cast<long>(rintf(a)); }
WARPSCOPE_DEVICE long long llrintf(float a) { return static_cast<long long>(rintf(a)); }

WARPSCOPE_DEVICE float nanf(const char *) { return __builtin_nanf(""); }
WARPSCOPE_DEVICE double nan(const char *) { return __builtin_nan(""); }

WARPSCOPE_DEVICE int abs(int a) { return a < 0 ? -a : a; }
WARPSCOPE_DEVICE long abs(long a) { return a < 0 ? -a : a; }
WARPSCOPE_DEVICE long long abs(long long a) { return a < 0 ? -a : a; }
WARPSCOPE_DEVICE float abs(float a) { return fabsf(a); }
WARPSCOPE_DEVICE double abs(double a) { return fabs(a); }
WARPSCOPE_DEVICE long labs(long a) { return a < 0 ? -a : a; }
WARPSCOPE_DEVICE long long llabs(long long a) { return a < 0 ? -a : a; }

// As CUDA: two integer types of one size meet in the unsigned one, float and double in double.
#define WARPSCOPE_MINMAX(type, left, right)                                                        \
  WARPSCOPE_BOTH type min(left a, right b) { return (type)b < (type)a ? (type)b : (type)a; }       \
  WARPSCOPE_BOTH type max(left a, right b) { return (type)a < (type)b ? (type)b : (type)a; }
#define WARPSCOPE_MINMAX_PAIR(type)                                                                \
  WARPSCOPE_MINMAX(type, type, type)                                                               \
  WARPSCOPE_MINMAX(unsigned type, unsigned type, unsigned type)                                    \
  WARPSCOPE_MINMAX(unsigned type, type, unsigned type)                                             \
  WARPSCOPE_MINMAX(unsigned type, unsigned type, type)
WARPSCOPE_MINMAX_PAIR(int)
WARPSCOPE_MINMAX_PAIR(long)
WARPSCOPE_MINMAX_PAIR(long long)
#undef WARPSCOPE_MINMAX_PAIR
#undef WARPSCOPE_MINMAX
// Of a number and one that is none: the number.
#define WARPSCOPE_FLOAT_MINMAX(type, left, right, suffix)                                          \
  WARPSCOPE_DEVICE type min(left a, right b) { return fmin##suffix(a, b); }                        \
  WARPSCOPE_DEVICE type max(left a, right b) { return fmax##suffix(a, b); }                        \
  WARPSCOPE_ON_HOST type min(left a, right b) { return __builtin_fmin##suffix(a, b); }             \
  WARPSCOPE_ON_HOST type max(left a, right b) { return __builtin_fmax##suffix(a, b); }
WARPSCOPE_FLOAT_MINMAX(float, float, float, f)
WARPSCOPE_FLOAT_MINMAX(double, double, double, )
WARPSCOPE_FLOAT_MINMAX(double, float, double, )
WARPSCOPE_FLOAT_MINMAX(double, double, float, )
#undef WARPSCOPE_FLOAT_MINMAX

// Fast versions: the hardware's own approximations, native_ in OpenCL.
#define WARPSCOPE_NATIVE(name, mangled)                                                            \
  WARPSCOPE_PURE float _Z##mangled##f(float);                                                      \
  WARPSCOPE_DEVICE float name(float a) { return _Z##mangled##f(a); }
WARPSCOPE_NATIVE(__expf, 10native_exp)
WARPSCOPE_NATIVE(__exp10f, 12native_exp10)
WARPSCOPE_NATIVE(__logf, 10native_log)
WARPSCOPE_NATIVE(__log2f, 11native_log2)
WARPSCOPE_NATIVE(__log10f, 12native_log10)
WARPSCOPE_NATIVE(__sinf, 10native_sin)
WARPSCOPE_NATIVE(__cosf, 10native_cos)
WARPSCOPE_NATIVE(__tanf, 10native_tan)
WARPSCOPE_NATIVE(__warpscope_native_sqrt, 11native_sqrt)
#undef WARPSCOPE_NATIVE
WARPSCOPE_DEVICE void __sincosf(float a, float *sine, float *cosine) {
  *sine = __sinf(a);
  *cosine = __cosf(a);
}
WARPSCOPE_DEVICE float __powf(float a, float b) { return exp2f(b * __log2f(a)); }
WARPSCOPE_DEVICE float __fdividef(float a, float b) { return a / b; }
WARPSCOPE_DEVICE float __saturatef(float a) { return fminf(fmaxf(a, 0.0f), 1.0f); }
WARPSCOPE_DEVICE float __frcp_rn(float a) { return 1.0f / a; }
WARPSCOPE_DEVICE float __fsqrt_rn(float a) { return sqrtf(a); }
WARPSCOPE_DEVICE float __frsqrt_rn(float a) { return rsqrtf(a); }
WARPSCOPE_DEVICE float __fadd_rn(float a, float b) { return a + b; }
WARPSCOPE_DEVICE float __fsub_rn(float a, float b) { return a - b; }
WARPSCOPE_DEVICE float __fmul_rn(float a, float b) { return a * b; }
WARPSCOPE_DEVICE float __fdiv_rn(float a, float b) { return a / b; }
WARPSCOPE_DEVICE double __dadd_rn(double a, double b) { return a + b; }
WARPSCOPE_DEVICE double __dmul_rn(double a, double b) { return a * b; }
WARPSCOPE_DEVICE double __ddiv_rn(double a, double b) { return a / b; }
WARPSCOPE_DEVICE double __dsqrt_rn(double a) { return sqrt(a); }
