#pragma once
// Bessel functions of whole orders. Formulas by their numbers in the NIST Digital Library of
// Mathematical Functions, chapter 10: power series for small arguments, Miller's backward
// recurrence (3.6(iii)) in the middle, Hankel's expansions from 25 on.
template <class T> struct __warpscope_bessel {
  T j0, j1, y0, y1;
};
template <class T> struct __warpscope_digits;
template <> struct __warpscope_digits<float> {
  static constexpr int Spread = 8, Series = 10, Hankel = 10, Growing = 50;
};
template <> struct __warpscope_digits<double> {
  static constexpr int Spread = 12, Series = 16, Hankel = 20, Growing = 80;
};
// 10.2.2, 10.8.1, 10.8.2: sums over (-x^2/4)^k / k!^2 and its relatives, up to x = 2.
template <class T> WARPSCOPE_DEVICE __warpscope_bessel<T> __warpscope_bessel_series(T x) {
  const T euler = (T)0.57721566490153286061, quarter = x * x / 4;
  T term = 1, harmonic = 0, j0 = 1, j1 = 1, y0 = 0, y1 = 1 - 2 * euler;
  for (int k = 1; k < __warpscope_digits<T>::Series; ++k) {
    term *= -quarter / (k * k);
    harmonic += (T)1 / k;
    j0 += term;
    j1 += term / (k + 1);
    y0 -= harmonic * term;
    y1 += term / (k + 1) * (2 * (harmonic - euler) + (T)1 / (k + 1));
  }
  const T two_over_pi = (T)0.63661977236758134308, half = x / 2;
  const T logarithm = log(x) - (T)0.69314718055994530942; // x / 2 may be 0
  j1 *= half;
  return {j0, j1, two_over_pi * ((logarithm + euler) * j0 + y0),
          two_over_pi * (logarithm * j1 - half * y1 / 2 - 1 / x)};
}
template <class T> WARPSCOPE_DEVICE int __warpscope_bessel_start(T most) {
  return ((int)(most + __warpscope_digits<T>::Spread * cbrt(most)) / 2 + 2) * 2;
}
// 1 = J0 + 2 (J2 + J4 + ...) gives the scale, 10.8.3 the function Y0, and its derivative -Y1.
template <class T> WARPSCOPE_DEVICE __warpscope_bessel<T> __warpscope_bessel_middle(T x) {
  T above = 0, at = 1, scale = 0, y0 = 0, slope = 0;
  for (int k = __warpscope_bessel_start(x); k > 0; --k) {
    const T below = 2 * k / x * at - above;
    if (k % 2 == 0) {
      const T sign = k % 4 == 0 ? 1 : -1;
      scale += 2 * at;
      y0 += sign * at / (k / 2);
      slope += sign * (below - above) / k;
    }
    above = at;
    at = below;
  }
  scale = 1 / (scale + at);
  const T two_over_pi = (T)0.63661977236758134308, j0 = at * scale, j1 = above * scale;
  const T logarithm = log(x / 2) + (T)0.57721566490153286061;
  return {j0, j1, two_over_pi * (logarithm * j0 - 2 * scale * y0),
          -two_over_pi * (j0 / x - logarithm * j1 - 2 * scale * slope)};
}
// 10.17.3 and 10.17.4: cosine and sine of x - pi/4 times sums of a_k(order) / x^k.
template <class T> WARPSCOPE_DEVICE void __warpscope_hankel(int order, T x, T *even, T *odd) {
  T term = 1;
  *even = 0;
  *odd = 0;
  for (int k = 0; k < __warpscope_digits<T>::Hankel; ++k) {
    (k % 2 ? *odd : *even) += k % 4 < 2 ? term : -term;
    term *= (4 * order - (T)((2 * k + 1) * (2 * k + 1))) / ((k + 1) * 8 * x);
  }
}
template <class T> WARPSCOPE_DEVICE __warpscope_bessel<T> __warpscope_bessel_large(T x) {
  if (!__warpscope_ordinary(x))
    return {0, 0, 0, 0};
  const T size = sqrt((T)0.31830988618379067154 / x); // 1 / sqrt(2) is in it
  const T cosine = size * (cos(x) + sin(x)), sine = size * (sin(x) - cos(x));
  T even, odd, even1, odd1;
  __warpscope_hankel(0, x, &even, &odd);
  __warpscope_hankel(1, x, &even1, &odd1);
  return {even * cosine - odd * sine, even1 * sine + odd1 * cosine, even * sine + odd * cosine,
          odd1 * sine - even1 * cosine};
}
template <class T> WARPSCOPE_DEVICE __warpscope_bessel<T> __warpscope_bessels(T x) {
  return x < 2    ? __warpscope_bessel_series(x)
         : x < 25 ? __warpscope_bessel_middle(x)
                  : __warpscope_bessel_large(x);
}
template <class T> WARPSCOPE_DEVICE T __warpscope_j0(T x) {
  return x != x ? x : __warpscope_bessels(fabs(x)).j0;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_j1(T x) {
  const T one = x != x ? x : __warpscope_bessels(fabs(x)).j1;
  return x < 0 ? -one : one;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_second(T x, T __warpscope_bessel<T>::*kind) {
  if (!(x > 0))
    return x == 0 ? -(T)__builtin_inf() : (T)__builtin_nan("");
  return __warpscope_bessels(x).*kind;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_y0(T x) {
  return __warpscope_second(x, &__warpscope_bessel<T>::y0);
}
template <class T> WARPSCOPE_DEVICE T __warpscope_y1(T x) {
  return __warpscope_second(x, &__warpscope_bessel<T>::y1);
}
// 10.6.1 upwards from order 1, as far as it is stable for J; downwards with a scale beyond.
template <class T> WARPSCOPE_DEVICE T __warpscope_upwards(int n, T x, T below, T at) {
  for (int k = 1; k < n && __warpscope_ordinary(at); ++k) {
    const T above = 2 * k / x * at - below;
    below = at;
    at = above;
  }
  return at;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_downwards(int n, T x) {
  T above = 0, at = 1, scale = 0, wanted = 0;
  for (int k = __warpscope_bessel_start((T)n); k > 0; --k) {
    if (k == n)
      wanted = at;
    scale += k % 2 == 0 ? 2 * at : 0;
    const T below = 2 * k / x * at - above;
    above = at;
    at = below;
    if (fabs(at) > (T)1e15) {
      above *= (T)1e-15;
      at *= (T)1e-15;
      scale *= (T)1e-15;
      wanted *= (T)1e-15;
    }
  }
  return wanted / (scale + at);
}
template <class T> WARPSCOPE_DEVICE T __warpscope_jn(int n, T x) {
  const T size = fabs(x);
  if (n < 0 || x != x)
    return (T)__builtin_nan("");
  T result = 1;
  if (n < 2 || size > (T)n) {
    const __warpscope_bessel<T> first = __warpscope_bessels(size);
    result = n == 0 ? first.j0 : __warpscope_upwards(n, size, first.j0, first.j1);
  } else if (size < (T)1e-4) { // (x/2)^n / n!, with one term more
    for (int k = 1; k <= n; ++k)
      result *= size / 2 / k;
    result *= 1 - size * size / (4 * (n + 1));
  } else {
    result = __warpscope_downwards(n, size);
  }
  return x < 0 && n % 2 != 0 ? -result : result;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_yn(int n, T x) {
  if (n < 0)
    return (T)__builtin_nan("");
  const T zero = __warpscope_y0(x);
  return n == 0 || !(x > 0) ? zero : __warpscope_upwards(n, x, zero, __warpscope_y1(x));
}
// 10.25.2, all terms positive, up to 20, and 10.40.1 beyond.
template <class T> WARPSCOPE_DEVICE T __warpscope_modified(int order, T x) {
  T sum = 1, term = 1;
  if (x < 20) {
    for (int k = 1; k < __warpscope_digits<T>::Growing; ++k) {
      term *= x * x / 4 / (k * (k + order));
      sum += term;
    }
    return order == 0 ? sum : sum * x / 2;
  }
  if (!(x < 800)) // beyond the largest double
    return x + (T)__builtin_inf();
  for (int k = 0; k < 25; ++k) {
    term *= ((T)((2 * k + 1) * (2 * k + 1)) - 4 * order) / ((k + 1) * 8 * x);
    sum += term;
  }
  const T root = exp(x / 2); // exp(x) may be too large where the result is not
  return root * (sum / sqrt((T)6.28318530717958647693 * x)) * root;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_cyl_bessel_i0(T x) {
  return __warpscope_modified(0, fabs(x));
}
template <class T> WARPSCOPE_DEVICE T __warpscope_cyl_bessel_i1(T x) {
  return copysign(__warpscope_modified(1, fabs(x)), x);
}
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, j0)
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, j1)
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, y0)
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, y1)
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, cyl_bessel_i0)
WARPSCOPE_SPECIAL(WARPSCOPE_DEVICE, cyl_bessel_i1)
#undef WARPSCOPE_SPECIAL
WARPSCOPE_DEVICE float jnf(int n, float x) { return __warpscope_jn(n, x); }
WARPSCOPE_DEVICE double jn(int n, double x) { return __warpscope_jn(n, x); }
WARPSCOPE_DEVICE float ynf(int n, float x) { return __warpscope_yn(n, x); }
WARPSCOPE_DEVICE double yn(int n, double x) { return __warpscope_yn(n, x); }
