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
// Where one is no number, the other one, also of those that signal, which fmin() makes quiet.
template <class T> WARPSCOPE_PTX T least(T a, T b) {
  if constexpr (__is_same(T, float))
    return a != a ? b : b != b ? a : fminf(a, b);
  else if constexpr (__is_same(T, double))
    return a != a ? b : b != b ? a : fmin(a, b);
  else if constexpr (is_float<T>)
    return smaller(a, b);
  else
    return a < b ? a : b;
}
template <class T> WARPSCOPE_PTX T greatest(T a, T b) {
  if constexpr (__is_same(T, float))
    return a != a ? b : b != b ? a : fmaxf(a, b);
  else if constexpr (__is_same(T, double))
    return a != a ? b : b != b ? a : fmax(a, b);
  else if constexpr (is_float<T>)
    return larger(a, b);
  else
    return a > b ? a : b;
}
template <class T> WARPSCOPE_PTX T fused(T a, T b, T c) {
  if constexpr (__is_same(T, double))
    return ::fma(a, b, c);
  else if constexpr (__is_same(T, float))
    return fmaf(a, b, c);
  else
    return multiply_add(a, b, c);
}
// .sat: between 0 and 1, and no number becomes 0; of integers what fits.
template <class T> WARPSCOPE_PTX T saturated(T a) {
  if constexpr (is_short<T> || is_pair<T>)
    return limited(a);
  else
    return a >= T(1) ? T(1) : a > T(0) ? a : T(0);
}
template <class T> WARPSCOPE_PTX T saturated_sum(T a, T b, bool subtracts) {
  if constexpr (is_float<T>) {
    return saturated(subtracts ? a - b : a + b);
  } else {
    static_assert(__is_same(T, int), "of integers, .sat is for s32");
    const long long exact = subtracts ? (long long)a - b : (long long)a + b;
    return exact == (int)exact ? (int)exact : exact < 0 ? (int)0x80000000 : 0x7fffffff;
  }
}
// .NaN: no number if one of them is none.
template <class T> WARPSCOPE_PTX T unless_none(T a, T b, T result) {
  if constexpr (is_pair<T>)
    return {unless_none(a.low, b.low, result.low), unless_none(a.high, b.high, result.high)};
  else if constexpr (is_short<T>)
    return (float)a != (float)a ? a : (float)b != (float)b ? b : result;
  else
    return a != a ? a : b != b ? b : result;
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
    } else if constexpr (!__is_same(T, float)) {                                                   \
      put(d, each(as<T>(x), [](float a) { return single; }));                                      \
    } else {                                                                                       \
      const float a = as<float>(x);                                                                \
      put(d, (single));                                                                            \
    }                                                                                              \
  }
WARPSCOPE_PTX_2(add, sum<T>(a, b))
WARPSCOPE_PTX_2(sub, difference<T>(a, b))
WARPSCOPE_PTX_2(mul, product<T>(a, b))
WARPSCOPE_PTX_2(add_sat, saturated_sum<T>(a, b, false))
WARPSCOPE_PTX_2(sub_sat, saturated_sum<T>(a, b, true))
WARPSCOPE_PTX_2(mul_sat, saturated<T>(product<T>(a, b)))
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
WARPSCOPE_PTX_3(fma_sat, saturated<T>(fused<T>(a, b, c)))
WARPSCOPE_PTX_3(fma_relu, rectified(fused<T>(a, b, c)))
WARPSCOPE_PTX_3(sad, sum<T>(a < b ? difference<T>(b, a) : difference<T>(a, b), c))
// The differences of four bytes, each of the type of its operand, as four bytes or added up to c.
template <class Lane> struct Byte {
  typedef signed char type;
};
template <> struct Byte<unsigned int> {
  typedef unsigned char type;
};
template <class T, class A, class B, class D, class X, class Y, class Z>
WARPSCOPE_PTX void vabsdiff4(D &&d, X x, Y y, Z) {
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i)
    result |= __warpscope_put<unsigned char>(
        __warpscope_size(__warpscope_lane<typename Byte<A>::type>(as<unsigned int>(x), i) -
                         __warpscope_lane<typename Byte<B>::type>(as<unsigned int>(y), i)),
        i);
  put(d, (T)result);
}
template <class T, class A, class B, class D, class X, class Y, class Z>
WARPSCOPE_PTX void vabsdiff4_add(D &&d, X x, Y y, Z z) {
  unsigned int sum = as<unsigned int>(z);
  for (int i = 0; i < 4; ++i)
    sum += (unsigned int)__warpscope_size(
        __warpscope_lane<typename Byte<A>::type>(as<unsigned int>(x), i) -
        __warpscope_lane<typename Byte<B>::type>(as<unsigned int>(y), i));
  put(d, (T)sum);
}
WARPSCOPE_PTX_2(div, quotient<T>(a, b))
WARPSCOPE_PTX_2(rem, b == 0 ? (T)-1 : difference<T>(a, product<T>(quotient<T>(a, b), b)))
WARPSCOPE_PTX_2(min, least<T>(a, b))
WARPSCOPE_PTX_2(max, greatest<T>(a, b))
WARPSCOPE_PTX_2(min_NaN, unless_none<T>(a, b, least<T>(a, b)))
WARPSCOPE_PTX_2(max_NaN, unless_none<T>(a, b, greatest<T>(a, b)))
// The names of PTX are operators of C++.
WARPSCOPE_PTX_2(bit_and, (T)(a &b))
WARPSCOPE_PTX_2(bit_or, (T)(a | b))
WARPSCOPE_PTX_2(bit_xor, (T)(a ^ b))
WARPSCOPE_PTX_1(bit_not, __is_same(T, bool) ? (T)!a : (T)~bits(a))
WARPSCOPE_PTX_1(cnot, (T)(a == 0))
template <class T, class D, class A> WARPSCOPE_PTX void neg(D &&d, A x) {
  if constexpr (is_float<T>)
    put(d, -as<T>(x));
  else
    put(d, difference<T>(0, as<T>(x)));
}
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
  else if constexpr (is_float<T>)
    put(d, magnitude(a));
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
// Whether it holds, and whether it does not; of pairs: whether it holds for each.
struct Held {
  bool p, q;
};
template <class T, class Is> WARPSCOPE_PTX Held compared(T a, T b) {
  if constexpr (is_pair<T>) {
    return {Is::template of<float>(a.low, b.low), Is::template of<float>(a.high, b.high)};
  } else if constexpr (is_short<T>) {
    return compared<float, Is>((float)a, (float)b);
  } else {
    const bool holds = Is::template of<T>(a, b);
    return {holds, !holds};
  }
}
template <class T, class Is, class P, class Q, class A, class B>
WARPSCOPE_PTX void setp(P &&p, Q &&q, A x, B y) {
  const Held held = compared<T, Is>(as<T>(x), as<T>(y));
  put(p, held.p);
  put(q, held.q);
}
template <class T, class Is, class With, class P, class Q, class A, class B, class C>
WARPSCOPE_PTX void setp(P &&p, Q &&q, A x, B y, C z) {
  const Held held = compared<T, Is>(as<T>(x), as<T>(y));
  const bool c = as<bool>(z);
  put(p, With::template of<bool>(held.p, c));
  put(q, With::template of<bool>(held.q, c));
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
// What has the same numbers in arithmetic.
template <class T> struct Widened {
  typedef T type;
};
template <class F> struct Widened<Short<F>> {
  typedef float type;
};
enum class Limit { None, Saturate, Rectify };
// To the nearest, ties away from zero (cvt.rna).
WARPSCOPE_PTX Tf32 to_tf32(float a) {
  const unsigned int number = __builtin_bit_cast(unsigned int, a);
  const bool is_finite = (number & 0x7f800000u) != 0x7f800000u;
  return {is_finite ? (number + 0x1000u) & ~0x1fffu : number};
}
template <class To, Rounding rounding, Limit limit, class From> WARPSCOPE_PTX To converted(From a) {
  if constexpr (__is_same(To, Tf32)) {
    return to_tf32(a);
  } else if constexpr (is_short<To>) {
    const To value(is_float<From> ? (double)rounded<rounding, From>(a) : (double)a);
    return limit == Limit::Saturate  ? limited(value)
           : limit == Limit::Rectify ? rectified(value)
                                     : value;
  } else if constexpr (is_float<To>) {
    To value = (To)a;
    if constexpr (is_float<From>)
      value = (To)rounded<rounding, From>(a);
    return limit == Limit::Saturate ? saturated(value) : value;
  } else if constexpr (is_float<From>) {
    return clamped<To, From>(rounded<rounding, From>(a));
  } else {
    return limit == Limit::Saturate ? clamped<To, From>(a) : (To)a;
  }
}
template <class To, class From, Rounding rounding, Limit limit, class D, class A>
WARPSCOPE_PTX void cvt(D &&d, A x) {
  typedef typename Widened<From>::type W;
  put(d, converted<To, rounding, limit>((W)as<From>(x)));
}
// A pair of two floats; the first one becomes the upper half.
template <class To, class From, Rounding rounding, Limit limit, class D, class A, class B>
WARPSCOPE_PTX void cvt(D &&d, A x, B y) {
  typedef decltype(To::low) Number;
  put(d, To{converted<Number, rounding, limit>(as<From>(y)),
            converted<Number, rounding, limit>(as<From>(x))});
}

} // namespace warpscope_ptx
