#pragma once
// Inline PTX: arithmetic, comparison, bits and conversion (PTX ISA 9.7.1 to 9.7.9).
namespace warpscope_ptx {

// With signed types: overflow wraps around in PTX, and is undefined in C++.
template <class T> WARPSCOPE_PTX T sum(T a, T b) {
  if constexpr (is_float<T>)
    return a + b;
  else
    return (T)((unsigned long long)a + (unsigned long long)b);
}
template <class T> WARPSCOPE_PTX T difference(T a, T b) {
  if constexpr (is_float<T>)
    return a - b;
  else
    return (T)((unsigned long long)a - (unsigned long long)b);
}
template <class T> WARPSCOPE_PTX T product(T a, T b) {
  if constexpr (is_float<T>)
    return a * b;
  else
    return (T)((unsigned long long)a * (unsigned long long)b);
}
// Division by zero stops no GPU; the result is "machine-specific", all ones in practice.
template <class T> WARPSCOPE_PTX T quotient(T a, T b) {
  if constexpr (is_float<T>)
    return a / b;
  else if constexpr (is_signed<T>)
    return b == 0 ? (T)-1 : b == -1 ? difference<T>(0, a) : (T)(a / b);
  else
    return b == 0 ? (T)-1 : (T)(a / b);
}
template <class T> WARPSCOPE_PTX T high_product(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    const unsigned long long high = __umul64hi((unsigned long long)a, (unsigned long long)b);
    if constexpr (is_signed<T>)
      return (T)(high - (a < 0 ? (unsigned long long)b : 0) - (b < 0 ? (unsigned long long)a : 0));
    else
      return (T)high;
  } else if constexpr (is_signed<T>) {
    return (T)((long long)a * b >> (8 * sizeof(T)));
  } else {
    return (T)((unsigned long long)a * b >> (8 * sizeof(T)));
  }
}
template <class T> struct Wide;
template <> struct Wide<unsigned short> {
  typedef unsigned int type;
};
template <> struct Wide<short> {
  typedef int type;
};
template <> struct Wide<unsigned int> {
  typedef unsigned long long type;
};
template <> struct Wide<int> {
  typedef long long type;
};
template <class T> WARPSCOPE_PTX typename Wide<T>::type wide_product(T a, T b) {
  return product<typename Wide<T>::type>(a, b);
}
template <class T> WARPSCOPE_PTX T least(T a, T b) {
  if constexpr (__is_same(T, float))
    return fminf(a, b);
  else if constexpr (__is_same(T, double))
    return fmin(a, b);
  else
    return a < b ? a : b;
}
template <class T> WARPSCOPE_PTX T greatest(T a, T b) {
  if constexpr (__is_same(T, float))
    return fmaxf(a, b);
  else if constexpr (__is_same(T, double))
    return fmax(a, b);
  else
    return a > b ? a : b;
}
template <class T> WARPSCOPE_PTX T fused(T a, T b, T c) {
  if constexpr (__is_same(T, double))
    return ::fma(a, b, c);
  else
    return fmaf(a, b, c);
}

#define WARPSCOPE_PTX_1(name, expression)                                                          \
  template <class T, class D, class A> WARPSCOPE_PTX void name(D &&d, A x) {                       \
    const T a = as<T>(x);                                                                          \
    put(d, (expression));                                                                          \
  }
#define WARPSCOPE_PTX_2(name, expression)                                                          \
  template <class T, class D, class A, class B> WARPSCOPE_PTX void name(D &&d, A x, B y) {         \
    const T a = as<T>(x), b = as<T>(y);                                                            \
    put(d, (expression));                                                                          \
  }
#define WARPSCOPE_PTX_3(name, expression)                                                          \
  template <class T, class D, class A, class B, class C>                                           \
  WARPSCOPE_PTX void name(D &&d, A x, B y, C z) {                                                  \
    const T a = as<T>(x), b = as<T>(y), c = as<T>(z);                                              \
    put(d, (expression));                                                                          \
  }
// Of one operand in both precisions.
#define WARPSCOPE_PTX_MATH(name, single, twice)                                                    \
  template <class T, class D, class A> WARPSCOPE_PTX void name(D &&d, A x) {                       \
    if constexpr (__is_same(T, double)) {                                                          \
      const double a = as<double>(x);                                                              \
      put(d, (twice));                                                                             \
    } else {                                                                                       \
      const float a = as<float>(x);                                                                \
      put(d, (single));                                                                            \
    }                                                                                              \
  }
WARPSCOPE_PTX_2(add, sum<T>(a, b))
WARPSCOPE_PTX_2(sub, difference<T>(a, b))
WARPSCOPE_PTX_2(mul, product<T>(a, b))
WARPSCOPE_PTX_2(mul_lo, product<T>(a, b))
WARPSCOPE_PTX_2(mul_hi, high_product<T>(a, b))
WARPSCOPE_PTX_2(mul_wide, wide_product<T>(a, b))
WARPSCOPE_PTX_3(mad_lo, sum<T>(product<T>(a, b), c))
WARPSCOPE_PTX_3(mad_hi, sum<T>(high_product<T>(a, b), c))
template <class T, class D, class A, class B, class C>
WARPSCOPE_PTX void mad_wide(D &&d, A x, B y, C z) {
  typedef typename Wide<T>::type W;
  put(d, sum<W>(wide_product<T>(as<T>(x), as<T>(y)), as<W>(z)));
}
WARPSCOPE_PTX_3(mad, fused<T>(a, b, c))
WARPSCOPE_PTX_3(fma, fused<T>(a, b, c))
WARPSCOPE_PTX_3(sad, sum<T>(a < b ? difference<T>(b, a) : difference<T>(a, b), c))
WARPSCOPE_PTX_2(div, quotient<T>(a, b))
WARPSCOPE_PTX_2(rem, b == 0 ? a : difference<T>(a, product<T>(quotient<T>(a, b), b)))
WARPSCOPE_PTX_2(min, least<T>(a, b))
WARPSCOPE_PTX_2(max, greatest<T>(a, b))
// The names of PTX are operators of C++.
WARPSCOPE_PTX_2(bit_and, (T)(a &b))
WARPSCOPE_PTX_2(bit_or, (T)(a | b))
WARPSCOPE_PTX_2(bit_xor, (T)(a ^ b))
WARPSCOPE_PTX_1(bit_not, __is_same(T, bool) ? (T)!a : (T)~bits(a))
WARPSCOPE_PTX_1(cnot, (T)(a == 0))
WARPSCOPE_PTX_1(neg, (is_float<T> ? (T)-a : difference<T>(0, a)))
WARPSCOPE_PTX_MATH(rcp, 1.0f / a, 1.0 / a)
WARPSCOPE_PTX_MATH(sqrt, sqrtf(a), ::sqrt(a))
WARPSCOPE_PTX_MATH(rsqrt, rsqrtf(a), ::rsqrt(a))
WARPSCOPE_PTX_MATH(ex2, exp2f(a), exp2(a))
WARPSCOPE_PTX_MATH(lg2, log2f(a), log2(a))
WARPSCOPE_PTX_MATH(sin, sinf(a), ::sin(a))
WARPSCOPE_PTX_MATH(cos, cosf(a), ::cos(a))
WARPSCOPE_PTX_MATH(tanh, tanhf(a), ::tanh(a))
template <class T, class D, class A> WARPSCOPE_PTX void abs(D &&d, A x) {
  const T a = as<T>(x);
  if constexpr (__is_same(T, float))
    put(d, fabsf(a));
  else if constexpr (__is_same(T, double))
    put(d, fabs(a));
  else
    put(d, a < 0 ? difference<T>(0, a) : a);
}
// The sign of the first on the second.
template <class T, class D, class A, class B> WARPSCOPE_PTX void copysign(D &&d, A x, B y) {
  constexpr unsigned long long sign = 1ull << (8 * sizeof(T) - 1);
  typedef typename Unsigned<sizeof(T)>::type U;
  put(d, (U)((bits(as<T>(x)) & sign) | (bits(as<T>(y)) & ~sign)));
}

// 9.7.2: the carry flag is a local variable of the statement.
template <class T> WARPSCOPE_PTX T sum_with_carry(T a, T b, bool in, bool &out) {
  typedef typename Unsigned<sizeof(T)>::type U;
  const U first = (U)a + (U)b, second = first + (U)in;
  out = first < (U)a || second < first;
  return (T)second;
}
template <class T> WARPSCOPE_PTX T difference_with_borrow(T a, T b, bool in, bool &out) {
  typedef typename Unsigned<sizeof(T)>::type U;
  out = (U)a < (U)b || ((U)a == (U)b && in);
  return (T)((U)a - (U)b - (U)in);
}
// NAME_cc sets the flag, NAME_in leaves it as it is.
#define WARPSCOPE_PTX_CARRY(name, in, function, X, Y, Z, ...)                                      \
  template <class T, class D, class A, class B __VA_ARGS__>                                        \
  WARPSCOPE_PTX void name##_cc(bool &carry, D &&d, A x, B y Z) {                                   \
    bool out;                                                                                      \
    put(d, function<T>(X, Y, in, out));                                                            \
    carry = out;                                                                                   \
  }                                                                                                \
  template <class T, class D, class A, class B __VA_ARGS__>                                        \
  WARPSCOPE_PTX void name##_in(bool &carry, D &&d, A x, B y Z) {                                   \
    bool out;                                                                                      \
    put(d, function<T>(X, Y, in, out));                                                            \
    (void)carry;                                                                                   \
  }
#define WARPSCOPE_PTX_C , C z
WARPSCOPE_PTX_CARRY(add, false, sum_with_carry, as<T>(x), as<T>(y), )
WARPSCOPE_PTX_CARRY(addc, carry, sum_with_carry, as<T>(x), as<T>(y), )
WARPSCOPE_PTX_CARRY(sub, false, difference_with_borrow, as<T>(x), as<T>(y), )
WARPSCOPE_PTX_CARRY(subc, carry, difference_with_borrow, as<T>(x), as<T>(y), )
WARPSCOPE_PTX_CARRY(mad_lo, false, sum_with_carry, product<T>(as<T>(x), as<T>(y)), as<T>(z),
                    WARPSCOPE_PTX_C, , class C)
WARPSCOPE_PTX_CARRY(madc_lo, carry, sum_with_carry, product<T>(as<T>(x), as<T>(y)), as<T>(z),
                    WARPSCOPE_PTX_C, , class C)
WARPSCOPE_PTX_CARRY(mad_hi, false, sum_with_carry, high_product<T>(as<T>(x), as<T>(y)), as<T>(z),
                    WARPSCOPE_PTX_C, , class C)
WARPSCOPE_PTX_CARRY(madc_hi, carry, sum_with_carry, high_product<T>(as<T>(x), as<T>(y)), as<T>(z),
                    WARPSCOPE_PTX_C, , class C)
#undef WARPSCOPE_PTX_C
#undef WARPSCOPE_PTX_CARRY

// 9.7.5: setp. u: true also if an operand is no number.
#define WARPSCOPE_PTX_COMPARISON(name, expression)                                                 \
  struct is_##name {                                                                               \
    template <class T> static WARPSCOPE_PTX_STATIC bool of(T a, T b) { return expression; }        \
  };
#define WARPSCOPE_PTX_STATIC __inline__ __attribute__((device, always_inline, nodebug))
WARPSCOPE_PTX_COMPARISON(eq, a == b)
WARPSCOPE_PTX_COMPARISON(ne, a != b && a == a && b == b)
WARPSCOPE_PTX_COMPARISON(lt, a < b)
WARPSCOPE_PTX_COMPARISON(le, a <= b)
WARPSCOPE_PTX_COMPARISON(gt, a > b)
WARPSCOPE_PTX_COMPARISON(ge, a >= b)
WARPSCOPE_PTX_COMPARISON(lo, a < b)
WARPSCOPE_PTX_COMPARISON(ls, a <= b)
WARPSCOPE_PTX_COMPARISON(hi, a > b)
WARPSCOPE_PTX_COMPARISON(hs, a >= b)
WARPSCOPE_PTX_COMPARISON(equ, !(a < b || a > b))
WARPSCOPE_PTX_COMPARISON(neu, a != b)
WARPSCOPE_PTX_COMPARISON(ltu, !(a >= b))
WARPSCOPE_PTX_COMPARISON(leu, !(a > b))
WARPSCOPE_PTX_COMPARISON(gtu, !(a <= b))
WARPSCOPE_PTX_COMPARISON(geu, !(a < b))
WARPSCOPE_PTX_COMPARISON(num, a == a && b == b)
WARPSCOPE_PTX_COMPARISON(nan, a != a || b != b)
WARPSCOPE_PTX_COMPARISON(and, a &b)
WARPSCOPE_PTX_COMPARISON(or, a | b)
WARPSCOPE_PTX_COMPARISON(xor, a ^ b)
#undef WARPSCOPE_PTX_STATIC
#undef WARPSCOPE_PTX_COMPARISON
template <class T, class Is, class P, class Q, class A, class B>
WARPSCOPE_PTX void setp(P &&p, Q &&q, A x, B y) {
  const bool holds = Is::template of<T>(as<T>(x), as<T>(y));
  put(p, holds);
  put(q, !holds);
}
template <class T, class Is, class With, class P, class Q, class A, class B, class C>
WARPSCOPE_PTX void setp(P &&p, Q &&q, A x, B y, C z) {
  const bool holds = Is::template of<T>(as<T>(x), as<T>(y)), c = as<bool>(z);
  put(p, With::template of<bool>(holds, c));
  put(q, With::template of<bool>(!holds, c));
}
template <class T, class D, class A, class B, class P>
WARPSCOPE_PTX void selp(D &&d, A x, B y, P p) {
  put(d, as<bool>(p) ? as<T>(x) : as<T>(y));
}

// 9.7.9.21: cvt.
enum class Rounding { None, Nearest, Zero, Down, Up };
template <Rounding rounding, class T> WARPSCOPE_PTX T rounded(T a) {
  if constexpr (rounding == Rounding::None)
    return a;
  else if constexpr (rounding == Rounding::Zero)
    return __is_same(T, float) ? (T)truncf((float)a) : (T)::trunc((double)a);
  else if constexpr (rounding == Rounding::Nearest)
    return __is_same(T, float) ? (T)rintf((float)a) : (T)::rint((double)a);
  else if constexpr (rounding == Rounding::Down)
    return __is_same(T, float) ? (T)floorf((float)a) : (T)::floor((double)a);
  else
    return __is_same(T, float) ? (T)ceilf((float)a) : (T)::ceil((double)a);
}
template <class To>
constexpr To lowest = is_signed<To> ? (To)(1ull << (8 * sizeof(To) - 1)) : To(0);
template <class To> constexpr To highest = (To)~lowest<To>;
// A number out of range becomes the end of the range, and what is no number becomes 0.
template <class To, class From> WARPSCOPE_PTX To clamped(From a) {
  if constexpr (is_float<From>) {
    constexpr From end = (From)(1ull << (8 * sizeof(To) - 1)) * (is_signed<To> ? 1 : 2);
    return a != a ? To(0) : a >= end ? highest<To> : a <= (From)lowest<To> ? lowest<To> : (To)a;
  } else {
    if constexpr (is_signed<From>) {
      if (a < 0)
        return !is_signed<To> || (long long)a < (long long)lowest<To> ? lowest<To> : (To)a;
    }
    return (unsigned long long)a > (unsigned long long)highest<To> ? highest<To> : (To)a;
  }
}
template <class To, class From, Rounding rounding, bool saturates, class D, class A>
WARPSCOPE_PTX void cvt(D &&d, A x) {
  const From a = as<From>(x);
  if constexpr (is_float<To>) {
    To value = (To)a;
    if constexpr (is_float<From>)
      value = (To)rounded<rounding, From>(a);
    if constexpr (saturates)
      value = value >= To(1) ? To(1) : value > To(0) ? value : To(0);
    put(d, value);
  } else if constexpr (is_float<From>) {
    put(d, clamped<To, From>(rounded<rounding, From>(a)));
  } else {
    put(d, saturates ? clamped<To, From>(a) : (To)a);
  }
}

} // namespace warpscope_ptx
