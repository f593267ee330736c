#pragma once
// Integer and bit functions.
WARPSCOPE_DEVICE int __popc(unsigned int a) { return __builtin_popcount(a); }
WARPSCOPE_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
WARPSCOPE_DEVICE int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned int)a); }
WARPSCOPE_DEVICE int __clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll((unsigned long long)a);
}
WARPSCOPE_DEVICE int __ffs(int a) { return a == 0 ? 0 : __builtin_ctz((unsigned int)a) + 1; }
WARPSCOPE_DEVICE int __ffsll(long long a) {
  return a == 0 ? 0 : __builtin_ctzll((unsigned long long)a) + 1;
}
WARPSCOPE_DEVICE unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
WARPSCOPE_DEVICE unsigned long long __brevll(unsigned long long a) {
  return __builtin_bitreverse64(a);
}
WARPSCOPE_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
WARPSCOPE_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
WARPSCOPE_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WARPSCOPE_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)((unsigned long long)a * b >> 32);
}
WARPSCOPE_PURE unsigned long _Z6mul_himm(unsigned long, unsigned long);
WARPSCOPE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return _Z6mul_himm(a, b);
}
WARPSCOPE_PURE long _Z6mul_hill(long, long);
WARPSCOPE_DEVICE long long __mul64hi(long long a, long long b) { return _Z6mul_hill(a, b); }
WARPSCOPE_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WARPSCOPE_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WARPSCOPE_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b) >> 1);
}
WARPSCOPE_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
WARPSCOPE_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
  return c + (a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b);
}
WARPSCOPE_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a < b ? b - a : a - b);
}
WARPSCOPE_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                              unsigned int by) {
  return (unsigned int)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
WARPSCOPE_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                              unsigned int by) {
  return (unsigned int)(((unsigned long long)high << 32 | low) >> (by & 31));
}
// Clamped: a shift by 32 or more takes all of the other word.
WARPSCOPE_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                               unsigned int by) {
  return by < 32 ? __funnelshift_l(low, high, by) : low;
}
WARPSCOPE_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                               unsigned int by) {
  return by < 32 ? __funnelshift_r(low, high, by) : high;
}
// The place of the |offset|-th set bit at and above `base`, below for negative ones; offset 0 asks
// for the bit at `base` itself. All ones if there is none.
WARPSCOPE_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset * step;
  for (int place = (int)base; place >= 0 && place < 32; place += step) {
    if ((mask >> place & 1) && --left == 0)
      return (unsigned int)place;
    if (offset == 0)
      break;
  }
  return 0xffffffffu;
}
WARPSCOPE_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (unsigned int)(bytes >> ((selector >> 4 * i & 7) * 8) & 0xff) << 8 * i;
  return result;
}

// Dot products of bytes, and of two halves with the lower or upper two bytes.
template <class Left, class Right, int bits>
WARPSCOPE_DEVICE unsigned int __warpscope_dot(unsigned int a, unsigned int b, unsigned int sum) {
  for (int i = 0; i < 32 / bits; ++i)
    sum += (unsigned int)(Left)(a >> bits * i) * (unsigned int)(Right)(b >> 8 * i);
  return sum;
}
#define WARPSCOPE_DOT(type, byte, bytes, half, halves)                                             \
  WARPSCOPE_DEVICE type __dp4a(type a, type b, type sum) {                                         \
    return (type)__warpscope_dot<byte, byte, 8>((unsigned int)a, (unsigned int)b,                  \
                                                (unsigned int)sum);                                \
  }                                                                                                \
  WARPSCOPE_DEVICE type __dp4a(bytes a, bytes b, type sum) {                                       \
    return __dp4a(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), sum);                  \
  }                                                                                                \
  WARPSCOPE_DEVICE type __dp2a_lo(type a, type b, type sum) {                                      \
    return (type)__warpscope_dot<half, byte, 16>((unsigned int)a, (unsigned int)b,                 \
                                                 (unsigned int)sum);                               \
  }                                                                                                \
  WARPSCOPE_DEVICE type __dp2a_hi(type a, type b, type sum) {                                      \
    return (type)__warpscope_dot<half, byte, 16>((unsigned int)a, (unsigned int)b >> 16,           \
                                                 (unsigned int)sum);                               \
  }                                                                                                \
  WARPSCOPE_DEVICE type __dp2a_lo(halves a, bytes b, type sum) {                                   \
    return __dp2a_lo(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), sum);               \
  }                                                                                                \
  WARPSCOPE_DEVICE type __dp2a_hi(halves a, bytes b, type sum) {                                   \
    return __dp2a_hi(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), sum);               \
  }
WARPSCOPE_DOT(int, signed char, char4, short, short2)
WARPSCOPE_DOT(unsigned int, unsigned char, uchar4, unsigned short, ushort2)
#undef WARPSCOPE_DOT

WARPSCOPE_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPSCOPE_DEVICE unsigned int __float_as_uint(float a) {
  return __builtin_bit_cast(unsigned int, a);
}
WARPSCOPE_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
WARPSCOPE_DEVICE float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
WARPSCOPE_DEVICE long long __double_as_longlong(double a) {
  return __builtin_bit_cast(long long, a);
}
WARPSCOPE_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
WARPSCOPE_DEVICE int __double2loint(double a) { return (int)__builtin_bit_cast(long long, a); }
WARPSCOPE_DEVICE int __double2hiint(double a) {
  return (int)(__builtin_bit_cast(long long, a) >> 32);
}
WARPSCOPE_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (long long)high << 32 | (unsigned int)low);
}
