#pragma once
// Inline PTX: shifts, fields, permutations and dot products of bytes (PTX ISA 9.7.1, 9.7.7).
namespace warpscope_ptx {

// Shifts by more than the width are clamped.
template <class T, class D, class A, class N> WARPSCOPE_PTX void shl(D &&d, A x, N n) {
  const unsigned int by = as<unsigned int>(n);
  put(d, by >= 8 * sizeof(T) ? T(0) : (T)(bits(as<T>(x)) << by));
}
template <class T, class D, class A, class N> WARPSCOPE_PTX void shr(D &&d, A x, N n) {
  constexpr unsigned int last = 8 * sizeof(T) - 1;
  const unsigned int by = as<unsigned int>(n);
  const T a = as<T>(x);
  put(d, by <= last ? (T)(a >> by) : is_signed<T> ? (T)(a >> last) : T(0));
}
#define WARPSCOPE_PTX_FUNNEL(name, limited, expression)                                            \
  template <class T, class D, class A, class B, class N>                                           \
  WARPSCOPE_PTX void name(D &&d, A x, B y, N n) {                                                  \
    const unsigned long long both = (unsigned long long)as<T>(y) << 32 | as<T>(x);                 \
    const unsigned int any = as<unsigned int>(n), by = limited;                                    \
    put(d, (unsigned int)(expression));                                                            \
  }
WARPSCOPE_PTX_FUNNEL(shf_l_wrap, any & 31, both << by >> 32)
WARPSCOPE_PTX_FUNNEL(shf_l_clamp, any < 32 ? any : 32, both << by >> 32)
WARPSCOPE_PTX_FUNNEL(shf_r_wrap, any & 31, both >> by)
WARPSCOPE_PTX_FUNNEL(shf_r_clamp, any < 32 ? any : 32, both >> by)
#undef WARPSCOPE_PTX_FUNNEL

WARPSCOPE_PTX unsigned long long low_bits(unsigned int count) {
  return count >= 64 ? ~0ull : (1ull << count) - 1;
}
// A field of `length` bits from `position`; past the highest bit, and in front of the field, stand
// copies of its sign, or zeros.
template <class T, class D, class A, class P, class L>
WARPSCOPE_PTX void bfe(D &&d, A x, P position, L length) {
  constexpr unsigned int width = 8 * sizeof(T);
  const unsigned int from = as<unsigned int>(position) & 255,
                     count = as<unsigned int>(length) & 255;
  const unsigned long long a = bits(as<T>(x));
  const unsigned long long field = from < width ? a >> from & low_bits(count) : 0;
  const unsigned int top = from + count - 1 < width ? from + count - 1 : width - 1;
  const bool fill = is_signed<T> && count > 0 && (a >> top & 1) != 0;
  const unsigned int length_here = from >= width ? 0 : top - from + 1;
  put(d, (T)(fill ? field | ~low_bits(length_here) : field));
}
template <class T, class D, class A, class B, class P, class L>
WARPSCOPE_PTX void bfi(D &&d, A x, B y, P position, L length) {
  const unsigned int at = as<unsigned int>(position) & 255, count = as<unsigned int>(length) & 255;
  const unsigned long long mask = at < 64 ? low_bits(count) << at : 0;
  const unsigned long long field = at < 64 ? bits(as<T>(x)) << at : 0;
  put(d, (T)((bits(as<T>(y)) & ~mask) | (field & mask)));
}
template <class T> WARPSCOPE_PTX unsigned int highest_bit(T a) {
  typedef typename Unsigned<sizeof(T)>::type U;
  const unsigned long long value = is_signed<T> && a < 0 ? (U)~a : (U)a;
  return value == 0 ? ~0u : 63 - (unsigned int)__clzll((long long)value);
}
template <class T, class D, class A> WARPSCOPE_PTX void bfind(D &&d, A x) {
  put(d, highest_bit<T>(as<T>(x)));
}
template <class T, class D, class A> WARPSCOPE_PTX void bfind_shiftamt(D &&d, A x) {
  const unsigned int at = highest_bit<T>(as<T>(x));
  put(d, at == ~0u ? at : (unsigned int)(8 * sizeof(T) - 1) - at);
}
template <class T, class D, class A> WARPSCOPE_PTX void brev(D &&d, A x) {
  put(d, (T)(__brevll(bits(as<T>(x))) >> (64 - 8 * sizeof(T))));
}
template <class T, class D, class A> WARPSCOPE_PTX void popc(D &&d, A x) {
  put(d, (unsigned int)__popcll(bits(as<T>(x))));
}
template <class T, class D, class A> WARPSCOPE_PTX void clz(D &&d, A x) {
  put(d, (unsigned int)__clzll((long long)bits(as<T>(x))) - (unsigned int)(64 - 8 * sizeof(T)));
}
// Bit 3 of a selector: eight copies of the byte's sign.
template <class T, class D, class A, class B, class S>
WARPSCOPE_PTX void prmt(D &&d, A x, B y, S s) {
  const unsigned long long both = (unsigned long long)as<T>(y) << 32 | as<T>(x);
  const unsigned int selectors = as<unsigned int>(s);
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int selector = selectors >> 4 * i & 15;
    unsigned int byte = (unsigned int)(both >> (selector & 7) * 8) & 255;
    if (selector & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  put(d, result);
}
// The table's bit number abc is the result of bits a, b and c.
template <class T, class D, class A, class B, class C, class I>
WARPSCOPE_PTX void lop3(D &&d, A x, B y, C z, I table) {
  const T a = as<T>(x), b = as<T>(y), c = as<T>(z);
  T result = 0;
  for (int i = 0; i < 8; ++i)
    if (as<unsigned int>(table) >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  put(d, result);
}
template <class TA, class TB, class D, class A, class B, class C>
WARPSCOPE_PTX void dp4a(D &&d, A x, B y, C z) {
  const unsigned int a = as<unsigned int>(x), b = as<unsigned int>(y);
  unsigned int result = as<unsigned int>(z);
  for (int i = 0; i < 4; ++i) {
    const unsigned int one = a >> 8 * i & 255, other = b >> 8 * i & 255;
    result += (is_signed<TA> ? (unsigned int)(signed char)one : one) *
              (is_signed<TB> ? (unsigned int)(signed char)other : other);
  }
  put(d, result);
}

} // namespace warpscope_ptx
