// Inline PTX without memory: every instruction on edge cases and random numbers, against the PTX ISA's definitions
// written out bit by bit for the host.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef __int128 s128;

static s64 s(u32 x) { return (int32_t)x; }
static bool bit(u64 x, int i) { return x >> i & 1; }
static u64 field(u64 a, u32 position, u32 length, int width, bool is_signed) {
  position &= 255, length &= 255;
  const int last = width - 1, top = (int)(position + length) - 1 < last ? (int)(position + length) - 1 : last;
  const bool fill = is_signed && length > 0 && bit(a, top);
  u64 result = 0;
  for (int i = 0; i < width; ++i) result |= (u64)(i < (int)length && (int)position + i <= last ? bit(a, position + i) : fill) << i;
  return result;
}
static u64 insert(u64 a, u64 b, u32 position, u32 length, int width) {
  position &= 255, length &= 255;
  for (int i = 0; i < (int)length && (int)position + i < width; ++i)
    b = (b & ~(1ull << (position + i))) | (u64)bit(a, i) << (position + i);
  return b;
}
static u32 count_zeros(u64 x, int width) {
  int n = 0;
  while (n < width && !bit(x, width - 1 - n)) ++n;
  return n;
}
static u32 find(u64 x, int width, bool is_signed) {
  const bool sign = is_signed && bit(x, width - 1);
  for (int i = width - 1; i >= 0; --i)
    if (bit(x, i) != sign) return i;
  return ~0u;
}
static u64 reverse(u64 x, int width) {
  u64 result = 0;
  for (int i = 0; i < width; ++i) result |= (u64)bit(x, i) << (width - 1 - i);
  return result;
}
static u32 permute(u32 a, u32 b, u32 selectors) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 selector = selectors >> 4 * i & 15, byte = ((selector & 4 ? b : a) >> 8 * (selector & 3)) & 255;
    result |= (selector & 8 ? (byte >= 128 ? 255 : 0) : byte) << 8 * i;
  }
  return result;
}
static u32 dot(u32 a, u32 b, u32 c, bool is_signed) {
  for (int i = 0; i < 4; ++i) c += is_signed ? (int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i) : (uint8_t)(a >> 8 * i) * (uint8_t)(b >> 8 * i);
  return c;
}
template <class T> static T clamp(double x) {
  if (std::isnan(x)) return 0;
  const double low = std::is_signed<T>::value ? -std::ldexp(1, 8 * sizeof(T) - 1) : 0;
  const double high = std::ldexp(1, 8 * sizeof(T) - (std::is_signed<T>::value ? 1 : 0));
  return x <= low ? (T)low : x >= high ? (T) ~(T)low : (T)x;
}
static float f(u32 x) {
  float value;
  memcpy(&value, &x, 4);
  return value;
}
static u32 u(float x) {
  u32 value;
  memcpy(&value, &x, 4);
  return value;
}

// Numbers of 16 bits, by their definition: the nearest of all, of two equally near the even one. `rest` is what x lacks.
struct Short {
  int exponent_bits, fraction_bits;
  long double value(u32 bits) const {
    const int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const int fraction = (int)(bits & ((1u << fraction_bits) - 1));
    long double x = exponent == 0 ? std::ldexp((long double)fraction, 1 - bias - fraction_bits)
                                  : std::ldexp((long double)(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
    if (exponent == (1 << exponent_bits) - 1) x = fraction == 0 ? INFINITY : NAN;
    return bits & 0x8000 ? -x : x;
  }
  u32 nearest(long double x, long double rest = 0) const {
    if (std::isnan(x)) return 0x7fff;
    const u32 sign = std::signbit(x) ? 0x8000 : 0;
    const long double size = std::fabs(x), more = sign ? -rest : rest;
    const u32 infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    u32 below = 0;  // the last one that is not above
    for (u32 step = 0x4000; step > 0; step /= 2)
      if (below + step < infinity && (value(below + step) < size || (value(below + step) == size && more >= 0))) below += step;
    const long double next = below + 1 == infinity ? 2 * value(below) - value(below - 1) : value(below + 1);
    const long double middle = (value(below) + next) / 2;
    const bool up = size > middle || (size == middle && (more > 0 || (more == 0 && below % 2 == 1)));
    return sign | (std::isinf(x) ? infinity : below + up);
  }
  u32 sum(long double x, long double y) const {  // exact in two parts
    const long double all = x + y, part = all - x;
    return std::isinf(all) || std::isnan(all) ? nearest(all) : nearest(all, (x - (all - part)) + (y - part));
  }
  u32 fma(u32 a, u32 b, u32 c) const { return sum(value(a) * value(b), value(c)); }
};
static const Short half = {5, 10}, bfloat = {8, 7};
template <class F> static u32 both(F function, u32 a, u32 b, u32 c) {
  return function(a & 0xffff, b & 0xffff, c & 0xffff) | function(a >> 16, b >> 16, c >> 16) << 16;
}
static u32 smaller(const Short& type, u32 a, u32 b) {
  const long double x = type.value(a), y = type.value(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? b : a;
  return x != y ? (x < y ? a : b) : a | b;  // of two zeros the one with the sign
}
// Equal, or none of them a number.
static bool same_short(const Short& type, u32 a, u32 b) { return a == b || (std::isnan(type.value(a)) && std::isnan(type.value(b))); }
static bool same(const char* text, u64 a, u64 b) {
  const Short& type = strstr(text, "bf16") ? bfloat : half;
  if (!strstr(text, "f32.f16") && (strstr(text, "f16 ") || strstr(text, "f16x2")))
    return same_short(type, a & 0xffff, b & 0xffff) && same_short(type, a >> 16, b >> 16);
  return strstr(text, "f32") && std::isnan(f((u32)a)) && std::isnan(f((u32)b));
}
/// PTX ISA, vabsdiff4: of four bytes each, the sum of the distances.
static u32 differences(u32 a, u32 b, bool is_signed) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += 8)
    sum += is_signed ? (u32)std::abs((int)(signed char)(a >> i) - (int)(signed char)(b >> i)) : (u32)std::abs((int)(a >> i & 255) - (int)(b >> i & 255));
  return sum;
}
static u32 bytes_apart(u32 a, u32 b) {
  u32 result = 0;
  for (int i = 0; i < 32; i += 8) result |= (u32)std::abs((int)(a >> i & 255) - (int)(b >> i & 255)) << i;
  return result;
}

#define EACH(expression) both([](u32 a, u32 b, u32 c) -> u32 { return (void)a, (void)b, (void)c, (expression); }, a, b, c)

// Text, and the result of a, b, c.
#define ROWS32(X)                                                                                        \
  X("add.u32 %0, %1, %2;", a + b)                                                                        \
  X("sub.s32 %0, %1, %2;", a - b)                                                                        \
  X("mul.lo.s32 %0, %1, %2;", a * b)                                                                     \
  X("mul.hi.u32 %0, %1, %2;", (u64)a * b >> 32)                                                          \
  X("mul.hi.s32 %0, %1, %2;", s(a) * s(b) >> 32)                                                         \
  X("mad.lo.u32 %0, %1, %2, %3;", a * b + c)                                                             \
  X("mad.hi.s32 %0, %1, %2, %3;", (u32)(s(a) * s(b) >> 32) + c)                                          \
  X("sad.s32 %0, %1, %2, %3;", (u32)std::llabs(s(a) - s(b)) + c)                                         \
  X("sad.u32 %0, %1, %2, %3;", (u32)std::llabs((s64)a - (s64)b) + c)                                     \
  X("{ .reg .u32 q; div.u32 q, %1, %2; mov.u32 %0, q; }", b == 0 ? ~0u : a / b)                          \
  X("div.s32 %0, %1, %2;", b == 0 ? ~0u : (u32)(s(a) / s(b)))                                            \
  X("rem.s32 %0, %1, %2;", b == 0 ? ~0u : (u32)(s(a) % s(b)))                                             \
  X("min.s32 %0, %1, %2;", s(a) < s(b) ? a : b)                                                          \
  X("max.u32 %0, %1, %2;", a > b ? a : b)                                                                \
  X("abs.s32 %0, %1;", (u32)std::llabs(s(a)))                                                            \
  X("neg.s32 %0, %1;", 0 - a)                                                                            \
  X("and.b32 %0, %1, %2;", a & b)                                                                        \
  X("or.b32 %0, %1, %2;", a | b)                                                                         \
  X("xor.b32 %0, %1, 0x0f0f;", a ^ 0x0f0f)                                                               \
  X("not.b32 %0, %1;", ~a)                                                                               \
  X("cnot.b32 %0, %1;", a == 0)                                                                          \
  X("shl.b32 %0, %1, %2;", b > 31 ? 0 : a << b)                                                          \
  X("shr.u32 %0, %1, %2;", b > 31 ? 0 : a >> b)                                                          \
  X("shr.s32 %0, %1, %2;", s(a) >> (b > 31 ? 31 : b))                                                    \
  X("shf.l.wrap.b32 %0, %1, %2, %3;", ((u64)b << 32 | a) << (c & 31) >> 32)                              \
  X("shf.r.wrap.b32 %0, %1, %2, %3;", ((u64)b << 32 | a) >> (c & 31))                                    \
  X("shf.l.clamp.b32 %0, %1, %2, %3;", c > 31 ? a : ((u64)b << 32 | a) << c >> 32)                       \
  X("shf.r.clamp.b32 %0, %1, %2, %3;", c > 31 ? b : ((u64)b << 32 | a) >> c)                             \
  X("bfe.u32 %0, %1, %2, %3;", field(a, b, c, 32, false))                                                \
  X("bfe.s32 %0, %1, %2, %3;", field(a, b, c, 32, true))                                                 \
  X("bfe.s32 %0, %1, 3, 7;", field(a, 3, 7, 32, true))                                                   \
  X("bfi.b32 %0, %1, %2, %3, 9;", insert(a, b, c, 9, 32))                                                \
  X("bfi.b32 %0, %1, %2, 5, %3;", insert(a, b, 5, c, 32))                                                \
  X("bfind.u32 %0, %1;", find(a, 32, false))                                                             \
  X("bfind.s32 %0, %1;", find(a, 32, true))                                                              \
  X("bfind.shiftamt.u32 %0, %1;", a == 0 ? ~0u : 31 - find(a, 32, false))                                \
  X("brev.b32 %0, %1;", reverse(a, 32))                                                                  \
  X("popc.b32 %0, %1;", __builtin_popcount(a))                                                           \
  X("clz.b32 %0, %1;", count_zeros(a, 32))                                                               \
  X("prmt.b32 %0, %1, %2, %3;", permute(a, b, c))                                                        \
  X("prmt.b32 %0, %1, 0, 0x7684;", permute(a, 0, 0x7684))                                                \
  X("lop3.b32 %0, %1, %2, %3, 0xE8;", (a & b) | (a & c) | (b & c))                                       \
  X("lop3.b32 %0, %1, %2, %3, 150;", a ^ b ^ c)                                                          \
  X("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", differences(a, b, false) + c)                           \
  X("vabsdiff4.u32.s32.s32.add %0, %1, %2, %3;", differences(a, b, true) + c)                            \
  X("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;", bytes_apart(a, b))                                          \
  X("dp4a.s32.s32 %0, %1, %2, %3;", dot(a, b, c, true))                                                  \
  X("dp4a.u32.u32 %0, %1, %2, %3;", dot(a, b, c, false))                                                 \
  X("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.b32 %0, %1, %3, q; }", s(a) < s(b) ? c : a)        \
  X("{ .reg .pred %%p<2>; setp.hi.u32 %%p1, %1, %2; setp.ne.and.b32 %%p0, %3, 0, %%p1;\n"                \
    "  mov.b32 %0, 1; @!%%p0 mov.b32 %0, 2; // a comment }\n }", a > b && c != 0 ? 1 : 2)                \
  X("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }", a << 16 | a >> 16)                    \
  X("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, 0; }", c + ((u64)a + b > 0xffffffffull))      \
  X("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %2, %3; subc.u32 %0, 0, 0; }",                  \
    -(u32)((s64)b - c - (a < b) < 0))                                                                    \
  X("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 7; }",                          \
    (u32)(((u64)a * b + c) >> 32) + 7)                                                                   \
  X("cvt.rzi.s32.f32 %0, %1;", clamp<int32_t>(std::trunc(f(a))))                                         \
  X("cvt.rni.ftz.u32.f32 %0, %1;", clamp<u32>(std::nearbyint(f(a))))                                     \
  X("cvt.rmi.f32.f32 %0, %1;", u(std::floor(f(a))))                                                      \
  X("cvt.rn.f32.s32 %0, %1;", u((float)s(a)))                                                            \
  X("cvt.sat.u8.s32 %0, %1;", s(a) < 0 ? 0 : s(a) > 255 ? 255 : s(a))                                    \
  X("cvt.s32.s8 %0, %1;", (int32_t)(int8_t)a)                                                            \
  X("add.f32 %0, %1, %2;", u(f(a) + f(b)))                                                               \
  X("mul.rn.f32 %0, %1, 0f3F000000;", u(f(a) * 0.5f))                                                    \
  X("fma.rn.f32 %0, %1, %2, %3;", u(std::fma(f(a), f(b), f(c))))                                         \
  X("{ .reg .f32 t; min.f32 t, %1, %2; add.f32 %0, t, 0f00000000; }", u((std::isnan(f(a)) ? f(b) : std::isnan(f(b)) ? f(a) : std::fmin(f(a), f(b))) + 0.0f))   \
  X("neg.f32 %0, %1;", a ^ 0x80000000u)                                                                  \
  X("abs.f32 %0, %1;", a & 0x7fffffffu)                                                                  \
  X("copysign.f32 %0, %1, %2;", (a & 0x80000000u) | (b & 0x7fffffffu))                                   \
  X("div.rn.f32 %0, %1, %2;", u(f(a) / f(b)))                                                            \
  X("{ .reg .pred p; setp.ltu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }", !(f(a) >= f(b)))                  \
  X("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }", f(a) < f(b) || f(a) > f(b))        \
  X("{ .reg .pred p; setp.nan.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }", std::isnan(f(a)) || std::isnan(f(b))) \
  X("add.rn.f16x2 %0, %1, %2;", EACH(half.sum(half.value(a), half.value(b)))) \
  X("sub.f16x2 %0, %1, %2;", EACH(half.sum(half.value(a), -half.value(b)))) \
  X("mul.f16x2 %0, %1, %2;", EACH(half.nearest(half.value(a) * half.value(b)))) \
  X("fma.rn.f16x2 %0, %1, %2, %3;", EACH(half.fma(a, b, c))) \
  X("fma.rn.relu.f16x2 %0, %1, %2, %3;", EACH(half.value(half.fma(a, b, c)) <= 0 ? 0 : half.fma(a, b, c))) \
  X("add.sat.f16x2 %0, %1, %2;", EACH(half.nearest(std::fmin(1, std::fmax(0, half.value(half.sum(half.value(a), half.value(b))))) + 0.0L))) \
  X("fma.rn.bf16x2 %0, %1, %2, %3;", EACH(bfloat.fma(a, b, c))) \
  X("neg.f16x2 %0, %1;", a ^ 0x80008000) \
  X("abs.bf16x2 %0, %1;", a & 0x7fff7fff) \
  X("min.f16x2 %0, %1, %2;", EACH(smaller(half, a, b))) \
  X("max.bf16x2 %0, %1, %2;", EACH(smaller(bfloat, a ^ 0x8000, b ^ 0x8000) ^ 0x8000)) \
  X("max.NaN.f16x2 %0, %1, %2;", EACH(std::isnan(half.value(a)) || std::isnan(half.value(b)) ? 0x7fff : smaller(half, a ^ 0x8000, b ^ 0x8000) ^ 0x8000)) \
  X("{ .reg .b16 x, y, z; mov.b32 {x, y}, %1; mov.b32 {z, _}, %2; fma.rn.f16 x, x, y, z; cvt.u32.u16 %0, x; } // f16 ", half.fma(a & 0xffff, a >> 16, b & 0xffff)) \
  X("{ .reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }", (half.value(a & 0xffff) < half.value(b & 0xffff)) + 2 * (half.value(a >> 16) < half.value(b >> 16))) \
  X("{ .reg .b16 x, y; .reg .pred p; mov.b32 {x, y}, %1; setp.geu.bf16 p, x, y; selp.u32 %0, 1, 0, p; }", !(bfloat.value(a & 0xffff) < bfloat.value(a >> 16))) \
  X("{ .reg .b16 x; cvt.rn.f16.f32 x, %1; cvt.u32.u16 %0, x; } // f16 ", half.nearest(f(a))) \
  X("{ .reg .b16 x; cvt.rn.bf16.f32 x, %1; cvt.u32.u16 %0, x; } // bf16 ", bfloat.nearest(f(a))) \
  X("cvt.rn.f16x2.f32 %0, %1, %2;", half.nearest(f(a)) << 16 | half.nearest(f(b))) \
  X("cvt.rn.relu.bf16x2.f32 %0, %1, %2;", bfloat.nearest(f(a) <= 0 ? 0 : f(a)) << 16 | bfloat.nearest(f(b) <= 0 ? 0 : f(b))) \
  X("{ .reg .b16 x; cvt.u16.u32 x, %1; cvt.f32.f16 %0, x; }", u((float)half.value(a & 0xffff))) \
  X("{ .reg .b16 x; cvt.u16.u32 x, %1; cvt.rzi.s32.f16 %0, x; }", clamp<int32_t>((double)std::trunc(half.value(a & 0xffff)))) \
  X("{ .reg .b16 x; cvt.rn.f16.s32 x, %1; cvt.u32.u16 %0, x; } // f16 ", half.nearest(s(a))) \
  X("add.sat.s32 %0, %1, %2;", (u32)(s(a) + s(b) > 2147483647 ? 2147483647 : s(a) + s(b) < -2147483648ll ? -2147483648ll : s(a) + s(b))) \
  X("mul.sat.f32 %0, %1, %2;", u(std::isnan(f(a) * f(b)) ? 0 : std::fmin(1.0f, std::fmax(0.0f, f(a) * f(b))) + 0.0f)) \
  X("{ .reg .b16 x, y; mov.b32 {x, y}, %1; ex2.approx.f16 x, x; tanh.approx.f16 y, y; mov.b32 %0, {x, y}; }", half.nearest(std::exp2((float)half.value(a & 0xffff))) | half.nearest(std::tanh((float)half.value(a >> 16))) << 16)

#define ROWS64(X)                                                                                        \
  X("mul.hi.u64 %0, %1, %2;", (u64)((unsigned __int128)a * b >> 64))                                     \
  X("mul.hi.s64 %0, %1, %2;", (u64)((s128)(s64)a * (s64)b >> 64))                                        \
  X("mad.lo.s64 %0, %1, %2, %3;", a * b + c)                                                             \
  X("{ .reg .u32 x, y; cvt.u32.u64 x, %1; cvt.u32.u64 y, %2; mul.wide.u32 %0, x, y; }", (u64)(u32)a * (u32)b) \
  X("{ .reg .s32 x, y; mov.b64 {x, _}, %1; mov.b64 {_, y}, %2; mad.wide.s32 %0, x, y, %3; }",            \
    (u64)(s(a) * s(b >> 32)) + c)                                                                        \
  X("bfe.s64 %0, %1, 7, 45;", field(a, 7, 45, 64, true))                                                 \
  X("{ .reg .u32 n; cvt.u32.u64 n, %3; and.b32 n, n, 255; bfi.b64 %0, %1, %2, 11, n; }", insert(a, b, 11, (u32)c & 255, 64))      \
  X("{ .reg .u32 n; bfind.s64 n, %1; cvt.u64.u32 %0, n; }", find(a, 64, true))                           \
  X("{ .reg .u32 n; clz.b64 n, %1; cvt.u64.u32 %0, n; }", count_zeros(a, 64))                            \
  X("{ .reg .u32 n; popc.b64 n, %1; cvt.u64.u32 %0, n; }", __builtin_popcountll(a))                      \
  X("brev.b64 %0, %1;", reverse(a, 64))                                                                  \
  X("shr.s64 %0, %1, 70;", (u64)((s64)a >> 63))                                                          \
  X("cvt.s64.s32 %0, %1;", (u64)s((u32)a))                                                               \
  X("cvt.sat.s32.s64 %0, %1;", (u64)((s64)a > 2147483647 ? 2147483647 : (s64)a < -2147483647 - 1 ? -2147483647 - 1 : (s64)a)) \
  X("{ .reg .f64 x; cvt.rn.f64.s64 x, %1; mov.b64 %0, x; }", [&] { double x = (double)(s64)a; u64 r; memcpy(&r, &x, 8); return r; }())

#define DEVICE(text, expected)                                                     \
  {                                                                                \
    T r = 0;                                                                       \
    if constexpr (sizeof(T) == 4)                                                  \
      asm(text : "=r"(r) : "r"((u32)a), "r"((u32)b), "r"((u32)c));                 \
    else                                                                           \
      asm(text : "=l"(r) : "l"((u64)a), "l"((u64)b), "l"((u64)c));                 \
    *out = r, out += count;                                                        \
  }
template <class T> __global__ void narrow(const T* in, T* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out += i;
  ROWS32(DEVICE)
}
template <class T> __global__ void wide(const T* in, T* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out += i;
  ROWS64(DEVICE)
}

template <class T> struct Row {
  const char* text;
  std::function<T(T, T, T)> expected;
};
#define HOST32(text, expected) {text, [](u32 a, u32 b, u32 c) -> u32 { return (void)a, (void)b, (void)c, (expected); }},
#define HOST64(text, expected) {text, [](u64 a, u64 b, u64 c) -> u64 { return (void)a, (void)b, (void)c, (expected); }},
static const std::vector<Row<u32>> rows32 = {ROWS32(HOST32)};
static const std::vector<Row<u64>> rows64 = {ROWS64(HOST64)};

template <class T, class Kernel> int check(Kernel kernel, const std::vector<Row<T>>& rows, const std::vector<T>& edges) {
  const int count = 1024;
  T *in, *out;
  cudaMallocManaged(&in, 3 * count * sizeof(T));
  cudaMallocManaged(&out, count * rows.size() * sizeof(T));
  std::mt19937_64 random(7);
  for (int i = 0; i < 3 * count; ++i)
    in[i] = random() % 4 == 0 ? (T)random() : random() % 4 == 0 ? (T)(random() % 40) : edges[random() % edges.size()];
  kernel<<<count / 128, 128>>>(in, out, count);
  if (cudaDeviceSynchronize() != cudaSuccess) return printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  int wrong = 0;
  for (size_t row = 0; row < rows.size(); ++row)
    for (int i = 0; i < count; ++i) {
      const T expected = rows[row].expected(in[3 * i], in[3 * i + 1], in[3 * i + 2]), got = out[row * count + i];
      if (expected == got || same(rows[row].text, expected, got)) continue;
      if (++wrong < 20)
        printf("%s of %llx, %llx, %llx: %llx, expected %llx\n", rows[row].text, (unsigned long long)in[3 * i], (unsigned long long)in[3 * i + 1],
               (unsigned long long)in[3 * i + 2], (unsigned long long)got, (unsigned long long)expected);
      break;
    }
  return wrong;
}

int main() {
  const std::vector<u32> edges32 = {0, 1, 2, 31, 32, 33, 255, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbfc00000, 0x42aa0000, 0x7fc00000,
                                    0x3c003c01, 0x7bff0001, 0x80000400, 0x04017c00, 0xfc007e00, 0x3f803f81, 0x00013f80, 0x7f7f7f7f};
  const std::vector<u64> edges64 = {0, 1, 63, 64, 255, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff};
  int wrong = check<u32>(narrow<u32>, rows32, edges32);
  wrong += check<u64>(wide<u64>, rows64, edges64);
  printf(wrong == 0 ? "ok, %zu instructions\n" : "wrong, of %zu instructions\n", rows32.size() + rows64.size());
  return wrong != 0;
}
