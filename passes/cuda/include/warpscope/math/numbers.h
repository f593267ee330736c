#pragma once
// What C's and CUDA's functions do with the parts of a number, and lengths of vectors, that no
// built-in of OpenCL does in one call.
template <class T> struct __warpscope_format;
template <> struct __warpscope_format<float> {
  typedef unsigned int Bits;
  static constexpr int Fraction = 23, Largest = 255;
};
template <> struct __warpscope_format<double> {
  typedef unsigned long long Bits;
  static constexpr int Fraction = 52, Largest = 2047;
};
template <class T> WARPSCOPE_BOTH bool __warpscope_ordinary(T a) {
  return fabs(a) < (T)__builtin_inf();
}
// a = result * 2^exponent with a result from 1/2 up to 1; of 0 and what is not finite, itself and
// 0.
template <class T> WARPSCOPE_BOTH T __warpscope_parts(T a, int *exponent) {
  typedef __warpscope_format<T> Format;
  typedef typename Format::Bits Bits;
  *exponent = 0;
  if (a == 0 || !__warpscope_ordinary(a))
    return a;
  Bits bits = __builtin_bit_cast(Bits, a);
  const Bits field = (Bits)Format::Largest << Format::Fraction;
  int raised = 0;
  if ((bits & field) == 0) { // subnormal
    raised = Format::Fraction + 2;
    bits = __builtin_bit_cast(Bits, ldexp(a, raised));
  }
  const int half = Format::Largest / 2 - 1; // of 1/2
  *exponent = (int)((bits & field) >> Format::Fraction) - half - raised;
  return __builtin_bit_cast(T, (bits & ~field) | (Bits)half << Format::Fraction);
}
template <class T> WARPSCOPE_DEVICE int __warpscope_exponent(T a) {
  int exponent;
  if (a == 0 || a != a)
    return -2147483647 - 1;
  __warpscope_parts(a, &exponent);
  return __warpscope_ordinary(a) ? exponent - 1 : 2147483647;
}
// The lower three bits of the quotient are those of what is left of `a` after multiples of 8 b.
template <class T> WARPSCOPE_DEVICE T __warpscope_remainder(T a, T b, int *quotient) {
  const T result = remainder(a, b), size = fabs(b), most = 8 * size;
  *quotient = 0;
  if (!__warpscope_ordinary(a) || !(size > 0) || !__warpscope_ordinary(b))
    return result;
  const T left = __warpscope_ordinary(most) ? fmod(fabs(a), most) : fabs(a);
  const T rest = a < 0 ? -result : result;
  const int steps = (int)rint((left - rest) / size) & 7;
  *quotient = (a < 0) != (b < 0) ? -steps : steps;
  return result;
}
WARPSCOPE_DEVICE int __warpscope_short_exponent(long n) {
  return n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n;
}

// The square root of a sum of squares, or its reciprocal: the largest is scaled to 1/2 to 1.
template <class T> struct __warpscope_length {
  T largest, sum;
  int exponent;
  bool infinite;
  WARPSCOPE_BOTH_MEMBER void limit(T a) {
    infinite |= fabs(a) == (T)__builtin_inf();
    largest = fmax(largest, fabs(a));
  }
  WARPSCOPE_BOTH_MEMBER void scale() { __warpscope_parts(largest, &exponent); }
  WARPSCOPE_BOTH_MEMBER void add(T a) {
    const T part = ldexp(a, -exponent);
    sum = fma(part, part, sum);
  }
  WARPSCOPE_BOTH_MEMBER T root() const {
    return infinite ? (T)__builtin_inf() : ldexp(sqrt(sum), exponent);
  }
  WARPSCOPE_BOTH_MEMBER T reciprocal() const {
    return infinite ? (T)0 : ldexp(1 / sqrt(sum), -exponent);
  }
};
template <class T> WARPSCOPE_BOTH __warpscope_length<T> __warpscope_measure(int n, const T *a) {
  __warpscope_length<T> length = {0, 0, 0, false};
  for (int i = 0; i < n; ++i)
    length.limit(a[i]);
  length.scale();
  for (int i = 0; i < n; ++i)
    length.add(a[i]);
  return length;
}
template <class T> WARPSCOPE_BOTH __warpscope_length<T> __warpscope_measure(T a, T b, T c, T d) {
  __warpscope_length<T> length = {0, 0, 0, false};
  length.limit(a);
  length.limit(b);
  length.limit(c);
  length.limit(d);
  length.scale();
  length.add(a);
  length.add(b);
  length.add(c);
  length.add(d);
  return length;
}

// Every function for float by the name with the letter, and by the plain one.
#define WARPSCOPE_NUMBERS(type, name)                                                              \
  WARPSCOPE_DEVICE type name(frexp)(type a, int *e) { return __warpscope_parts(a, e); }            \
  WARPSCOPE_DEVICE type name(remquo)(type a, type b, int *q) {                                     \
    return __warpscope_remainder(a, b, q);                                                         \
  }                                                                                                \
  WARPSCOPE_DEVICE type name(scalbln)(type a, long n) {                                            \
    return ldexp(a, __warpscope_short_exponent(n));                                                \
  }                                                                                                \
  WARPSCOPE_DEVICE int name(ilogb)(type a) { return __warpscope_exponent(a); }                     \
  WARPSCOPE_DEVICE long long name(llround)(type a) { return (long long)round(a); }
#define WARPSCOPE_LENGTHS(type, name)                                                              \
  WARPSCOPE_BOTH type name(norm)(int n, const type *a) {                                           \
    return __warpscope_measure(n, a).root();                                                       \
  }                                                                                                \
  WARPSCOPE_BOTH type name(rnorm)(int n, const type *a) {                                          \
    return __warpscope_measure(n, a).reciprocal();                                                 \
  }                                                                                                \
  WARPSCOPE_BOTH type name(norm3d)(type a, type b, type c) {                                       \
    return __warpscope_measure<type>(a, b, c, 0).root();                                           \
  }                                                                                                \
  WARPSCOPE_BOTH type name(rnorm3d)(type a, type b, type c) {                                      \
    return __warpscope_measure<type>(a, b, c, 0).reciprocal();                                     \
  }                                                                                                \
  WARPSCOPE_BOTH type name(norm4d)(type a, type b, type c, type d) {                               \
    return __warpscope_measure(a, b, c, d).root();                                                 \
  }                                                                                                \
  WARPSCOPE_BOTH type name(rnorm4d)(type a, type b, type c, type d) {                              \
    return __warpscope_measure(a, b, c, d).reciprocal();                                           \
  }                                                                                                \
  WARPSCOPE_BOTH type name(rhypot)(type a, type b) {                                               \
    return __warpscope_measure<type>(a, b, 0, 0).reciprocal();                                     \
  }                                                                                                \
  WARPSCOPE_BOTH type name(rcbrt)(type a) { return 1 / cbrt(a); }
#define WARPSCOPE_PLAIN(name) name
#define WARPSCOPE_WITH_F(name) name##f
WARPSCOPE_NUMBERS(float, WARPSCOPE_WITH_F)
WARPSCOPE_NUMBERS(float, WARPSCOPE_PLAIN)
WARPSCOPE_NUMBERS(double, WARPSCOPE_PLAIN)
WARPSCOPE_LENGTHS(float, WARPSCOPE_WITH_F)
WARPSCOPE_LENGTHS(double, WARPSCOPE_PLAIN)
#undef WARPSCOPE_NUMBERS
#undef WARPSCOPE_LENGTHS
WARPSCOPE_BOTH float rhypot(float a, float b) { return rhypotf(a, b); }
WARPSCOPE_BOTH float rcbrt(float a) { return rcbrtf(a); }
WARPSCOPE_DEVICE float scalbn(float a, int n) { return ldexp(a, n); }
WARPSCOPE_DEVICE long lround(float a) { return (long)round(a); }
WARPSCOPE_DEVICE long lround(double a) { return (long)round(a); }
WARPSCOPE_DEVICE long lrint(float a) { return (long)rint(a); }
WARPSCOPE_DEVICE long lrint(double a) { return (long)rint(a); }
WARPSCOPE_DEVICE long long llrint(float a) { return (long long)rint(a); }
WARPSCOPE_DEVICE long long llrint(double a) { return (long long)rint(a); }
WARPSCOPE_DEVICE float modf(float a, float *whole) { return modff(a, whole); }
WARPSCOPE_DEVICE void sincos(float a, float *sine, float *cosine) { sincosf(a, sine, cosine); }
WARPSCOPE_DEVICE void sincospi(float a, float *sine, float *cosine) { sincospif(a, sine, cosine); }
WARPSCOPE_DEVICE void sincospi(double a, double *sine, double *cosine) {
  *sine = sinpi(a);
  *cosine = cospi(a);
}
WARPSCOPE_DEVICE float fdividef(float a, float b) { return a / b; }
#define WARPSCOPE_ORDERED(type, suffix)                                                            \
  WARPSCOPE_DEVICE bool signbit(type a) { return __builtin_signbit##suffix(a); }                   \
  WARPSCOPE_DEVICE bool isnormal(type a) { return __builtin_isnormal(a); }                         \
  WARPSCOPE_DEVICE bool isgreater(type a, type b) { return a > b; }                                \
  WARPSCOPE_DEVICE bool isgreaterequal(type a, type b) { return a >= b; }                          \
  WARPSCOPE_DEVICE bool isless(type a, type b) { return a < b; }                                   \
  WARPSCOPE_DEVICE bool islessequal(type a, type b) { return a <= b; }                             \
  WARPSCOPE_DEVICE bool islessgreater(type a, type b) { return a < b || a > b; }                   \
  WARPSCOPE_DEVICE bool isunordered(type a, type b) { return a != a || b != b; }
WARPSCOPE_ORDERED(float, f)
WARPSCOPE_ORDERED(double, )
#undef WARPSCOPE_ORDERED
WARPSCOPE_DEVICE int __signbitd(double a) { return __builtin_signbit(a); }
WARPSCOPE_DEVICE int __isnanf(float a) { return a != a; }
WARPSCOPE_DEVICE int __isinff(float a) { return fabsf(a) == __builtin_inff(); }
WARPSCOPE_DEVICE int __finitef(float a) { return __warpscope_ordinary(a); }
WARPSCOPE_DEVICE int __isnan(double a) { return a != a; }
WARPSCOPE_DEVICE int __isinf(double a) { return fabs(a) == __builtin_inf(); }
WARPSCOPE_DEVICE int __finite(double a) { return __warpscope_ordinary(a); }
