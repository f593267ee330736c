// What random kernels call, for the CPU: CUDA's functions as its documentation says of them, in plain C++.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef std::uint8_t u8;
typedef std::uint16_t u16;
typedef std::uint32_t u32;
typedef std::uint64_t u64;
typedef std::int32_t i32;
typedef std::int64_t i64;

#define PART static inline
#define CALLED static inline

inline int __popc(u32 x) {
  return __builtin_popcount(x);
}
inline int __popcll(u64 x) {
  return __builtin_popcountll(x);
}
inline int __clz(i32 x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<u32>(x));
}
inline int __clzll(i64 x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<u64>(x));
}
inline int __ffs(i32 x) {
  return __builtin_ffs(x);
}
inline int __ffsll(i64 x) {
  return __builtin_ffsll(x);
}
inline u32 __brev(u32 x) {
  u32 result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}
inline u64 __brevll(u64 x) {
  return static_cast<u64>(__brev(static_cast<u32>(x))) << 32 | __brev(static_cast<u32>(x >> 32));
}
inline u32 __umulhi(u32 a, u32 b) {
  return static_cast<u32>(static_cast<u64>(a) * b >> 32);
}
inline i32 __mulhi(i32 a, i32 b) {
  return static_cast<i32>(static_cast<i64>(a) * b >> 32);
}
inline u64 __umul64hi(u64 a, u64 b) {
  return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline i64 __mul64hi(i64 a, i64 b) {
  return static_cast<i64>(static_cast<__int128>(a) * b >> 64);
}
inline u32 __byte_perm(u32 a, u32 b, u32 s) {
  const u64 both = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<u32>(both >> (s >> i * 4 & 7) * 8 & 255) << i * 8;
  return result;
}
inline u32 __funnelshift_l(u32 lo, u32 hi, u32 n) {
  return static_cast<u32>((static_cast<u64>(hi) << 32 | lo) << (n & 31) >> 32);
}
inline u32 __funnelshift_r(u32 lo, u32 hi, u32 n) {
  return static_cast<u32>((static_cast<u64>(hi) << 32 | lo) >> (n & 31));
}
inline u32 __funnelshift_lc(u32 lo, u32 hi, u32 n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
inline u32 __funnelshift_rc(u32 lo, u32 hi, u32 n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
inline u32 __usad(u32 x, u32 y, u32 z) {
  return z + (x > y ? x - y : y - x);
}
inline u32 __sad(i32 x, i32 y, u32 z) {
  return z + static_cast<u32>(x > y ? static_cast<i64>(x) - y : static_cast<i64>(y) - x);
}
inline i32 __dp4a(i32 a, i32 b, i32 c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<u32>(static_cast<std::int8_t>(a >> i * 8) * static_cast<std::int8_t>(b >> i * 8));
  return static_cast<i32>(sum);
}
template <class To, class From>
To bits_as(From x) {
  To to;
  std::memcpy(&to, &x, sizeof to);
  return to;
}
inline u32 __float_as_uint(float x) {
  return bits_as<u32>(x);
}
inline float __uint_as_float(u32 x) {
  return bits_as<float>(x);
}
inline u64 bits_of(double x) {
  return bits_as<u64>(x);
}

/// Held within the type; what is no number is 0 (64 bits: only used where it is a number).
template <class To>
To held(double x) {
  if (x != x) return 0;
  const double least = static_cast<double>(std::numeric_limits<To>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
  return x < least    ? std::numeric_limits<To>::min()
         : x >= above ? std::numeric_limits<To>::max()
                      : static_cast<To>(x);
}
inline i32 __float2int_rz(float x) {
  return held<i32>(std::trunc(x));
}
inline i32 __float2int_rn(float x) {
  return held<i32>(std::nearbyint(x));
}
inline i32 __float2int_rd(float x) {
  return held<i32>(std::floor(x));
}
inline i32 __float2int_ru(float x) {
  return held<i32>(std::ceil(x));
}
inline u32 __float2uint_rz(float x) {
  return held<u32>(std::trunc(x));
}
inline u32 __float2uint_rn(float x) {
  return held<u32>(std::nearbyint(x));
}
inline i64 __float2ll_rz(float x) {
  return held<i64>(std::trunc(x));
}
inline u64 __float2ull_rn(float x) {
  return held<u64>(std::nearbyint(x));
}
inline i32 __double2int_rz(double x) {
  return held<i32>(std::trunc(x));
}
inline u32 __double2uint_rn(double x) {
  return held<u32>(std::nearbyint(x));
}
inline i64 __double2ll_rd(double x) {
  return held<i64>(std::floor(x));
}
inline u64 __double2ull_rz(double x) {
  return held<u64>(std::trunc(x));
}
inline float __int2float_rn(i32 x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(u32 x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(i64 x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(u64 x) {
  return static_cast<float>(x);
}
inline double __ll2double_rn(i64 x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(u64 x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
inline float __fmaf_rn(float x, float y, float z) {
  return std::fma(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
  return std::fma(x, y, z);
}

// Warp functions over a block's values: `from` is the warp's first thread, `lane` the one that asks.
inline u32 shuffled(const std::vector<u32>& x, u32 thread, int mode, u32 by, u32 width) {
  const u32 lane = thread % 32, segment = lane / width * width;
  i64 from = lane;
  if (mode == 0) from = segment + by % width;
  if (mode == 1) from = static_cast<i64>(lane) - by;
  if (mode == 2) from = static_cast<i64>(lane) + by;
  if (mode == 3) from = lane ^ by;
  const bool up_is_out = mode == 1 && from < segment;
  const bool down_is_out = (mode == 2 || mode == 3) && from >= segment + width;
  return x[thread - lane + static_cast<u32>(up_is_out || down_is_out ? lane : from)];
}
template <class F>
u32 lanes_where(u32 thread, F f) {
  u32 set = 0;
  for (u32 lane = 0; lane < 32; ++lane) set |= static_cast<u32>(f(thread / 32 * 32 + lane)) << lane;
  return set;
}
