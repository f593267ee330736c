#pragma once
// The error function's relatives. Notation and expansions: NIST Digital Library of Mathematical
// Functions, chapter 7 (7.12.1 the asymptotic series, 7.17 the inverse). In float for float, as a
// GPU computes them.
template <class T> struct __warpscope_erf;
template <> struct __warpscope_erf<float> {
  static constexpr int FromSeries = 8, Terms = 7, Steps = 2;
};
template <> struct __warpscope_erf<double> {
  static constexpr int FromSeries = 16, Terms = 11, Steps = 3;
};
// exp(a^2) erfc(a). The square's rounding is made good: exp(high + low) = exp(high) (1 + low).
template <class T> WARPSCOPE_BOTH T __warpscope_erfcx(T a) {
  if (a < (T)__warpscope_erf<T>::FromSeries) {
    const T high = a * a, low = fma(a, a, -high), grown = exp(high);
    const T product = grown * erfc(a);
    return __warpscope_ordinary(product) ? fma(product, low, product) : product;
  }
  const T inverse = 1 / a, ratio = inverse * inverse / 2;
  T sum = 0; // 1 - 1/(2a^2) + 1*3/(2a^2)^2 - ..., from its end
  for (int k = __warpscope_erf<T>::Terms; k > 0; --k)
    sum = -ratio * (2 * k - 1) * (1 + sum);
  const T factor = inverse * (T)0.56418958354775628695; // 1 / sqrt(pi)
  return fma(factor, sum, factor);
}
// From 0 to 1/2: the inverse's own series, then Halley's steps where that ends too early.
template <class T> WARPSCOPE_BOTH T __warpscope_erfinv_middle(T x) {
  const T square = x * x;
  T y = x * ((T)0.88622692545275801365 +
             square * ((T)0.23201366653465449847 +
                       square * ((T)0.12755617530559795826 + square * (T)0.08655212924154753373)));
  if (fabs(x) < (T)0.01)
    return y;
  for (int step = 1; step < __warpscope_erf<T>::Steps; ++step) {
    const T off = (erf(y) - x) * (T)0.88622692545275801365 * exp(y * y);
    y -= off / (1 + off * y);
  }
  return y;
}
// q = erfc(y) from 0 to 1/2, by Newton's steps on log(erfc(y)) = log(erfcx(y)) - y^2. Begins with
// S. Winitzki, "A handy approximation for the error function and its inverse", 2008.
template <class T> WARPSCOPE_BOTH T __warpscope_erfcinv_tail(T q) {
  const T logarithm = log(q), both = logarithm + log(2 - q);
  const T a = (T)0.147, middle = (T)0.63661977236758134308 / a + both / 2;
  T y = sqrt(sqrt(middle * middle - both / a) - middle);
  for (int step = 0; step < __warpscope_erf<T>::Steps; ++step) {
    const T scaled = __warpscope_erfcx(y);
    const T off = fma(-y, y, log(scaled) - logarithm);
    y = fma(off * (T)0.88622692545275801365, scaled, y);
  }
  return y;
}
template <class T> WARPSCOPE_BOTH T __warpscope_erfinv(T x) {
  const T size = fabs(x);
  if (size <= (T)0.5)
    return __warpscope_erfinv_middle(x);
  if (!(size < 1))
    return size == 1 ? copysign((T)__builtin_inf(), x) : (T)__builtin_nan("");
  return copysign(__warpscope_erfcinv_tail(1 - size), x);
}
// Every difference here is exact.
template <class T> WARPSCOPE_BOTH T __warpscope_erfcinv(T x) {
  if (!(x > 0 && x < 2))
    return x == 0 ? (T)__builtin_inf() : x == 2 ? -(T)__builtin_inf() : (T)__builtin_nan("");
  if (x >= (T)0.5 && x <= (T)1.5)
    return __warpscope_erfinv_middle(1 - x);
  return x < 1 ? __warpscope_erfcinv_tail(x) : -__warpscope_erfcinv_tail(2 - x);
}
// erfc(-x / sqrt(2)) / 2; `lack` is what the rounded argument lacks.
template <class T> WARPSCOPE_BOTH T __warpscope_normcdf(T x) {
  const double root = 0.70710678118654752440;
  const T factor = (T)root;
  const T rest = sizeof(T) == 4 ? (T)(root - (double)factor) : (T)-4.8336466567264567e-17;
  const T argument = -x * factor, whole = erfc(argument);
  if (!(fabs(x) < 40))
    return whole / 2;
  const T lack = fma(-x, factor, -argument) - x * rest;
  return (whole - (T)1.12837916709551257390 * exp(-argument * argument) * lack) / 2;
}
template <class T> WARPSCOPE_BOTH T __warpscope_normcdfinv(T p) {
  return (T)-1.41421356237309504880 * __warpscope_erfcinv(2 * p) + 0;
}
#define WARPSCOPE_SPECIAL(side, name)                                                              \
  side float name##f(float a) { return __warpscope_##name(a); }                                    \
  side float name(float a) { return __warpscope_##name(a); }                                       \
  side double name(double a) { return __warpscope_##name(a); }
WARPSCOPE_SPECIAL(WARPSCOPE_BOTH, erfcx)
WARPSCOPE_SPECIAL(WARPSCOPE_BOTH, erfinv)
WARPSCOPE_SPECIAL(WARPSCOPE_BOTH, erfcinv)
WARPSCOPE_SPECIAL(WARPSCOPE_BOTH, normcdf)
WARPSCOPE_SPECIAL(WARPSCOPE_BOTH, normcdfinv)
