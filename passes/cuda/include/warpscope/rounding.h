#pragma once
// Arithmetic rounded down, up and towards zero: the nearest result, and the sign of what it lacks.
// The error of a sum is Knuth's TwoSum ("The Art of Computer Programming", vol. 2, 4.2.2), those of
// products, quotients and roots are one fma. They are exact unless the error itself underflows.
WARPSCOPE_DEVICE double __warpscope_next(double a, bool up) {
  const unsigned long long magnitude = __builtin_bit_cast(unsigned long long, a) & ~(1ull << 63);
  if (magnitude == 0)
    return up ? 4.9406564584124654e-324 : -4.9406564584124654e-324;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, a);
  return __builtin_bit_cast(double, (a > 0) == up ? bits + 1 : bits - 1);
}
WARPSCOPE_DEVICE float __warpscope_next(float a, bool up) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, a);
  if ((bits & 0x7fffffffu) == 0)
    return up ? 1.40129846e-45f : -1.40129846e-45f;
  return __builtin_bit_cast(float, (a > 0) == up ? bits + 1 : bits - 1);
}
// `nearest` is too small by `lacking` (positive) or too large (negative). An infinity that finite
// numbers gave lacks infinity, a NaN nothing.
template <class T> WARPSCOPE_DEVICE T __warpscope_down(T nearest, double lacking) {
  return lacking < 0 ? __warpscope_next(nearest, false) : nearest;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_up(T nearest, double lacking) {
  return lacking > 0 ? __warpscope_next(nearest, true) : nearest;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_to_zero(T nearest, double lacking) {
  return nearest > 0   ? __warpscope_down(nearest, lacking)
         : nearest < 0 ? __warpscope_up(nearest, lacking)
                       : nearest;
}
WARPSCOPE_DEVICE double __warpscope_beyond(double result, bool finite) {
  return !finite || __builtin_fabs(result) <= 1.7976931348623157e308 ? 0 : -result;
}
WARPSCOPE_DEVICE bool __warpscope_finite(double a) {
  return __builtin_fabs(a) <= 1.7976931348623157e308;
}
WARPSCOPE_DEVICE double __warpscope_sum_lacks(double a, double b, double sum) {
  if (!__warpscope_finite(sum))
    return __warpscope_beyond(sum, __warpscope_finite(a) && __warpscope_finite(b));
  const double of_b = sum - a, of_a = sum - of_b;
  return (a - of_a) + (b - of_b);
}
WARPSCOPE_DEVICE double __warpscope_fma_lacks(double a, double b, double c, double result) {
  if (!__warpscope_finite(result))
    return __warpscope_beyond(result, __warpscope_finite(a) && __warpscope_finite(b) &&
                                          __warpscope_finite(c));
  const double product = a * b, low = fma(a, b, -product);
  const double sum = product + c, rest = __warpscope_sum_lacks(product, c, sum);
  return ((sum - result) + rest) + low;
}
WARPSCOPE_DEVICE double __warpscope_quotient_lacks(double a, double b, double quotient) {
  if (!__warpscope_finite(quotient) || !__warpscope_finite(b))
    return __warpscope_beyond(quotient, __warpscope_finite(a) && b != 0);
  const double rest = fma(-quotient, b, a);
  return b < 0 ? -rest : rest;
}
WARPSCOPE_DEVICE double __warpscope_root_lacks(double a, double root) {
  return __warpscope_finite(root) ? fma(-root, root, a) : 0;
}
// A result of floats in double precision, as one float; the double's own error decides if the float
// equals it.
WARPSCOPE_DEVICE double __warpscope_float_lacks(double exact, double more, float nearest) {
  if (!__warpscope_finite(exact))
    return 0;
  return exact != nearest ? exact - nearest : more;
}

#define WARPSCOPE_ROUNDED(suffix, direction)                                                       \
  WARPSCOPE_DEVICE double __dadd##suffix(double a, double b) {                                     \
    return direction(a + b, __warpscope_sum_lacks(a, b, a + b));                                   \
  }                                                                                                \
  WARPSCOPE_DEVICE double __dsub##suffix(double a, double b) { return __dadd##suffix(a, -b); }     \
  WARPSCOPE_DEVICE double __dmul##suffix(double a, double b) {                                     \
    return direction(a * b, __warpscope_finite(a * b) ? fma(a, b, -(a * b))                        \
                                                      : __warpscope_fma_lacks(a, b, 0, a * b));    \
  }                                                                                                \
  WARPSCOPE_DEVICE double __fma##suffix(double a, double b, double c) {                            \
    const double d = fma(a, b, c);                                                                 \
    return direction(d, __warpscope_fma_lacks(a, b, c, d));                                        \
  }                                                                                                \
  WARPSCOPE_DEVICE double __ddiv##suffix(double a, double b) {                                     \
    return direction(a / b, __warpscope_quotient_lacks(a, b, a / b));                              \
  }                                                                                                \
  WARPSCOPE_DEVICE double __drcp##suffix(double a) { return __ddiv##suffix(1.0, a); }              \
  WARPSCOPE_DEVICE double __dsqrt##suffix(double a) {                                              \
    const double root = sqrt(a);                                                                   \
    return direction(root, __warpscope_root_lacks(a, root));                                       \
  }                                                                                                \
  WARPSCOPE_DEVICE float __double2float##suffix(double a) {                                        \
    return direction((float)a, __warpscope_float_lacks(a, 0, (float)a));                           \
  }                                                                                                \
  WARPSCOPE_DEVICE float __fadd##suffix(float a, float b) {                                        \
    const double sum = (double)a + b;                                                              \
    return direction((float)sum,                                                                   \
                     __warpscope_float_lacks(sum, __warpscope_sum_lacks(a, b, sum), (float)sum));  \
  }                                                                                                \
  WARPSCOPE_DEVICE float __fsub##suffix(float a, float b) { return __fadd##suffix(a, -b); }        \
  WARPSCOPE_DEVICE float __fmul##suffix(float a, float b) {                                        \
    return __double2float##suffix((double)a * b);                                                  \
  }                                                                                                \
  WARPSCOPE_DEVICE float __fmaf##suffix(float a, float b, float c) {                               \
    const double product = (double)a * b, sum = product + c;                                       \
    return direction((float)sum, __warpscope_float_lacks(                                          \
                                     sum, __warpscope_sum_lacks(product, c, sum), (float)sum));    \
  }                                                                                                \
  WARPSCOPE_DEVICE float __fdiv##suffix(float a, float b) {                                        \
    const double quotient = (double)a / b;                                                         \
    return direction((float)quotient,                                                              \
                     __warpscope_float_lacks(quotient, __warpscope_quotient_lacks(a, b, quotient), \
                                             (float)quotient));                                    \
  }                                                                                                \
  WARPSCOPE_DEVICE float __frcp##suffix(float a) { return __fdiv##suffix(1.0f, a); }               \
  WARPSCOPE_DEVICE float __fsqrt##suffix(float a) {                                                \
    const double root = sqrt((double)a);                                                           \
    return direction((float)root,                                                                  \
                     __warpscope_float_lacks(root, __warpscope_root_lacks(a, root), (float)root)); \
  }
WARPSCOPE_ROUNDED(_rd, __warpscope_down)
WARPSCOPE_ROUNDED(_ru, __warpscope_up)
WARPSCOPE_ROUNDED(_rz, __warpscope_to_zero)
#undef WARPSCOPE_ROUNDED
WARPSCOPE_DEVICE double __dsub_rn(double a, double b) { return a - b; }
WARPSCOPE_DEVICE double __drcp_rn(double a) { return 1.0 / a; }
