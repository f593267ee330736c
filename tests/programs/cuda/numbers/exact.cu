// Device functions whose results are exact or rounded once. Conversions against the host's own rounding modes, parts of numbers against
// the C library, SIMD video functions against sums lane by lane, half and bfloat16 against the mathematical value.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

static int wrong = 0;
static void expect(bool right, const char* what, double in, double got, double expected) {
  if (!right && ++wrong <= 20) fprintf(stderr, "%s of %.17g: %.17g instead of %.17g\n", what, in, got, expected);
}
static bool same(double a, double b) { return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b; }
static const int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// Whole numbers to floating point: 4 modes for each of 6 functions, and 16 bits.
#define MODES(own, name, a) own[0] = name##_rn(a), own[1] = name##_rz(a), own[2] = name##_rd(a), own[3] = name##_ru(a)
__global__ void from_whole(const long long* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long a = in[i];
  double* own = out + 32 * i;
  MODES(own, __int2float, (int)a);
  MODES((own + 4), __uint2float, (unsigned)a);
  MODES((own + 8), __ll2float, a);
  MODES((own + 12), __ull2float, (unsigned long long)a);
  MODES((own + 16), __ll2double, a);
  MODES((own + 20), __ull2double, (unsigned long long)a);
  MODES((own + 24), (float)__ll2half, a);
  MODES((own + 28), (float)__ull2bfloat16, (unsigned long long)a);
}
template <class To, class From> static double in_mode(From a, int mode) {
  volatile From value = a;
  fesetround(mode);
  volatile To result = (To)value;
  fesetround(FE_TONEAREST);
  return (double)result;
}
// A number with `bits` bits below 2^limit, rounded by hand to a multiple of its last place.
static double short_float(long double a, int bits, int limit, int mode) {
  int exponent;
  frexpl(a, &exponent);
  if (a == 0) return 0;
  fesetround(mode);
  const double result = (double)ldexpl(rintl(ldexpl(a, bits - exponent)), exponent - bits);
  fesetround(FE_TONEAREST);
  const double top = std::ldexp(2 - std::ldexp(1, 1 - bits), limit - 1);
  if (std::fabs(result) <= top) return result;
  const bool away = mode == FE_TONEAREST || (mode == FE_UPWARD && a > 0) || (mode == FE_DOWNWARD && a < 0);
  return std::copysign(away ? INFINITY : top, (double)a);
}

// Floating point to whole numbers, of what does not fit the nearest.
__global__ void to_whole(const double* in, long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double d = in[i];
  const float f = (float)d;
  long long* own = out + 40 * i;
  MODES(own, __double2int, d);
  MODES((own + 4), __double2uint, d);
  MODES((own + 8), __double2ll, d);
  MODES((own + 12), __double2ull, d);
  MODES((own + 16), __float2int, f);
  MODES((own + 20), __float2uint, f);
  MODES((own + 24), __float2ll, f);
  MODES((own + 28), __float2ull, f);
  MODES((own + 32), __half2short, __float2half(f));
  MODES((own + 36), __bfloat162ushort, __float2bfloat16(f));
}
static long long whole_in_mode(double a, int mode, int bits, bool is_signed, bool none_is_first) {
  if (a != a) return none_is_first ? (long long)(1ull << (bits - 1)) * (bits == 32 && is_signed ? -1 : 1) : 0;
  fesetround(mode);
  const long double whole = rintl(a);
  fesetround(FE_TONEAREST);
  const long double first = is_signed ? -ldexpl(1, bits - 1) : 0, last = ldexpl(1, is_signed ? bits - 1 : bits) - 1;
  const long double fits = fminl(fmaxl(whole, first), last);
  return is_signed ? (long long)fits : (long long)(unsigned long long)fits;
}

template <class T> struct Parts {
  T fraction, remainder, scaled, whole, rest;
  int exponent, logb, quotient;
  long long rounded, nearest;
};
template <class T> __global__ void take_apart(const T* in, Parts<T>* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Parts<T> p;
  p.fraction = frexp(in[i], &p.exponent);
  p.logb = ilogb(in[i]);
  p.remainder = remquo(in[i], in[i + 1], &p.quotient);
  p.scaled = scalbln(in[i], (long)(i % 400) - 200);
  p.rest = modf(in[i], &p.whole);
  p.rounded = llround(in[i]);
  p.nearest = lrint(in[i]);
  out[i] = p;
}
template <class T> static void check_parts() {
  const int n = 1024;
  std::vector<T> in = {0, -(T)0, INFINITY, -INFINITY, NAN, std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::min() / 4, 0.5, -1.5, 2.5, 1,
                       std::numeric_limits<T>::max()};
  std::mt19937 random(3);
  while ((int)in.size() <= n) in.push_back((T)std::ldexp((double)random() - 0x1p31, (int)(random() % 80) - 60));
  T* d_in;
  Parts<T>* d_out;
  cudaMalloc(&d_in, in.size() * sizeof(T));
  cudaMallocManaged(&d_out, n * sizeof(Parts<T>));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
  take_apart<<<n / 64, 64>>>(d_in, d_out);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    const Parts<T> p = d_out[i];
    int exponent = 0, quotient = 0;
    T whole;
    const T fraction = std::frexp(in[i], &exponent), remainder = std::remquo(in[i], in[i + 1], &quotient), rest = std::modf(in[i], &whole);
    expect(same(p.fraction, fraction) && (!std::isfinite(in[i]) || p.exponent == exponent), "frexp", in[i], p.fraction, fraction);
    if (in[i] == in[i]) expect(p.logb == (in[i] == 0 ? std::numeric_limits<int>::min() : std::ilogb(in[i])), "ilogb", in[i], p.logb, std::ilogb(in[i]));
    expect(same(p.remainder, remainder), "remquo", in[i], p.remainder, remainder);
    if (remainder == remainder && std::isfinite(in[i + 1])) expect((p.quotient & 7) == (quotient & 7), "quotient of remquo", in[i], p.quotient, quotient);
    expect(same(p.scaled, std::scalbln(in[i], i % 400 - 200)), "scalbln", in[i], p.scaled, std::scalbln(in[i], i % 400 - 200));
    expect(same(p.whole, whole) && same(p.rest, rest), "modf", in[i], p.rest, rest);
    if (std::fabs(in[i]) < 0x1p62) {
      expect(p.rounded == std::llround(in[i]), "llround", in[i], (double)p.rounded, (double)std::llround(in[i]));
      expect(p.nearest == std::lrint(in[i]), "lrint", in[i], (double)p.nearest, (double)std::lrint(in[i]));
    }
  }
}

// SIMD: name, what a lane is to be of x and y, signed or not.
#define VIDEO(X)                                                                     \
  X(vadd, true, x + y) X(vaddss, true, fit(x + y, true)) X(vaddus, false, fit(x + y, false)) \
  X(vsub, true, x - y) X(vsubss, true, fit(x - y, true)) X(vsubus, false, fit(x - y, false)) \
  X(vabsdiffs, true, std::abs(x - y)) X(vabsdiffu, false, std::abs(x - y))           \
  X(vavgs, true, (int)std::floor((x + y) / 2.0 + (x + y >= 0 ? 0.5 : 0))) X(vavgu, false, (x + y + 1) / 2) X(vhaddu, false, (x + y) / 2) \
  X(vmaxs, true, std::max(x, y)) X(vmaxu, false, std::max(x, y)) X(vmins, true, std::min(x, y)) X(vminu, false, std::min(x, y)) \
  X(vcmpeq, true, -(x == y)) X(vcmpne, true, -(x != y)) X(vcmpges, true, -(x >= y)) X(vcmpgeu, false, -(x >= y)) X(vcmpgts, true, -(x > y)) \
  X(vcmpgtu, false, -(x > y)) X(vcmples, true, -(x <= y)) X(vcmpleu, false, -(x <= y)) X(vcmplts, true, -(x < y)) X(vcmpltu, false, -(x < y)) \
  X(vseteq, true, x == y) X(vsetne, true, x != y) X(vsetges, true, x >= y) X(vsetgeu, false, x >= y) X(vsetgts, true, x > y) \
  X(vsetgtu, false, x > y) X(vsetles, true, x <= y) X(vsetleu, false, x <= y) X(vsetlts, true, x < y) X(vsetltu, false, x < y)
enum {
#define X(name, is_signed, value) k_##name,
  VIDEO(X)
#undef X
  k_vabs, k_vabsss, k_vneg, k_vnegss, k_vsads, k_vsadu, k_videos
};
__global__ void video(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[i], b = in[i + 1];
  unsigned *two = out + 2 * k_videos * i, *four = two + k_videos;
#define X(name, is_signed, value) two[k_##name] = __##name##2(a, b), four[k_##name] = __##name##4(a, b);
  VIDEO(X)
  X(vsads, , )
  X(vsadu, , )
#undef X
#define X(name) two[k_##name] = __##name##2(a), four[k_##name] = __##name##4(a);
  X(vabs) X(vabsss) X(vneg) X(vnegss)
#undef X
}
static unsigned lanes(int f, unsigned a, unsigned b, int bits) {
  const int size = 1 << bits;
  const auto fit = [size](int v, bool is_signed) { return is_signed ? std::min(std::max(v, -size / 2), size / 2 - 1) : std::min(std::max(v, 0), size - 1); };
  unsigned result = 0, sum = 0;
  for (int at = 0; at < 32; at += bits) {
    const auto lane = [=](unsigned word, bool is_signed) {
      const int v = (int)((word >> at) % (unsigned)size);
      return is_signed && v >= size / 2 ? v - size : v;
    };
    int value = 0;
    switch (f) {
#define X(name, is_signed, what)                           \
  case k_##name: {                                         \
    const int x = lane(a, is_signed), y = lane(b, is_signed); \
    value = what;                                          \
    break;                                                 \
  }
      VIDEO(X)
#undef X
      case k_vabs: value = std::abs(lane(a, true)); break;
      case k_vabsss: value = fit(std::abs(lane(a, true)), true); break;
      case k_vneg: value = -lane(a, true); break;
      case k_vnegss: value = fit(-lane(a, true), true); break;
      default: sum += (unsigned)std::abs(lane(a, f == k_vsads) - lane(b, f == k_vsads));
    }
    result |= ((unsigned)value % (unsigned)size) << at;
  }
  return f == k_vsads || f == k_vsadu ? sum : result;
}

#define HALVES(X) X(sqrt) X(rsqrt) X(rcp) X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(sin) X(cos) X(floor) X(ceil) X(trunc) X(rint)
enum {
#define X(name) k_h##name,
  HALVES(X)
#undef X
  k_halves
};
__global__ void all_halves(float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = __ushort_as_half((unsigned short)i);
  const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)i);
#define X(name) out[(size_t)i * 2 * k_halves + k_h##name] = h##name(a), out[(size_t)i * 2 * k_halves + k_halves + k_h##name] = h2##name(__nv_bfloat162(b, b)).y;
  HALVES(X)
#undef X
}
static double half_function(int f, double x) {
  switch (f) {
    case k_hsqrt: return std::sqrt(x);
    case k_hrsqrt: return 1 / std::sqrt(x);
    case k_hrcp: return 1 / x;
    case k_hexp: return std::exp(x);
    case k_hexp2: return std::exp2(x);
    case k_hexp10: return std::pow(10, x);
    case k_hlog: return std::log(x);
    case k_hlog2: return std::log2(x);
    case k_hlog10: return std::log10(x);
    case k_hsin: return std::sin(x);
    case k_hcos: return std::cos(x);
    case k_hfloor: return std::floor(x);
    case k_hceil: return std::ceil(x);
    case k_htrunc: return std::trunc(x);
    default: return std::rint(x);
  }
}
// Right if no other number of that format is nearer, but for a 64th of the last place.
static bool nearest(double expected, double got, int bits, int first, int limit) {
  if (expected != expected || got != got) return expected != expected && got != got;
  int exponent;
  std::frexp(expected, &exponent);
  const double place = std::ldexp(1, std::max(exponent, first) - bits), top = std::ldexp(1, limit);
  if (std::isinf(got)) return (got > 0) == (expected > 0) && std::fabs(expected) >= top - place * 0.52;
  return std::fabs(got - expected) <= place * (0.5 + 1.0 / 64);
}
static void check_halves() {
  std::vector<float> out((size_t)65536 * 2 * k_halves);
  float* d_out;
  cudaMalloc(&d_out, out.size() * 4);
  all_halves<<<256, 256>>>(d_out);
  cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 65536; ++i) {
    const double half = __half2float(__ushort_as_half((unsigned short)i)), bfloat = __bfloat162float(__ushort_as_bfloat16((unsigned short)i));
    for (int f = 0; f < k_halves; ++f) {
      const float h = out[(size_t)i * 2 * k_halves + f], b = out[(size_t)i * 2 * k_halves + k_halves + f];
      expect(nearest(half_function(f, half), h, 11, -13, 16), "half function", half, h, half_function(f, half));
      expect(nearest(half_function(f, bfloat), b, 8, -125, 128), "bfloat16 function", bfloat, b, half_function(f, bfloat));
    }
  }
}

__global__ void half_operations(int* bad) {
  const __half nan = __ushort_as_half(0x7fff), one = 1.0f, two = 2;
  const __half2 pair(one, nan), other(one, two);
  int n = 0;
  n += !(__heq2(pair, other) == __half2(1.0f, 0.0f)) + !(__hequ2(pair, other) == __half2(1.0f, 1.0f)) + __hbeq2(pair, other) + !__hbequ2(pair, other);
  n += !__hltu(nan, one) + __hlt(nan, one) + !__hgtu(two, one) + __hgtu(one, two) + !__hneu(one, nan) + __hne(one, nan) + !__hne(one, two) + !(one != nan);
  n += (float)__hmax(nan, one) != 1 || (float)__hmin(one, nan) != 1 || !__hisnan(__hmax_nan(one, nan)) || __hisinf(__ushort_as_half(0xfc00)) != -1;
  n += (float)__hadd_sat(one, two) != 1 || (float)__hsub_sat(one, two) != 0 || (float)__hmul_sat(nan, two) != 0;
  n += (float)__hfma_relu(one, __hneg(two), one) != 0 || (float)__hfma_sat(two, two, one) != 1;
  const __half2 product = __hcmadd(__half2(1.0f, 2.0f), __half2(3.0f, 4.0f), __half2(10.0f, 20.0f));  // 10 + 20i + (1 + 2i)(3 + 4i)
  n += (float)product.x != 5 || (float)product.y != 30 || !(-product < product) || (float)__lowhigh2highlow(product).x != 30;
  __half counter = 2047;
  n += (float)counter++ != 2047 || (float)++counter != 2048;  // 2049 is half way between 2048 and 2050
  n += !(one < two) + (__low2float(__lows2half2(other, pair)) != 1) + (__high2float(__highs2half2(pair, other)) != 2);
  const __half_raw raw = two;
  n += raw.x != 0x4000 || (float)__half(raw) != 2 || (float)__half(70000u) != __builtin_inff() || (float)__float2half_rz(70000) != 65504;
  n += (float)__float2half_ru(1e-9f) != 0x1p-24f || (float)__float2half_rd(-1e-9f) != -0x1p-24f || (float)__float2half_rd(1e-9f) != 0;
  // 2^25 + 2^17 + 1 is just above half way between two of bfloat16, and half way as a float.
  n += (float)__int2bfloat16_rn((1 << 25) + (1 << 17) + 1) != (1 << 25) + (1 << 18);
  *bad = n;
}

int main() {
  const int n = 512;
  std::mt19937_64 random(5);
  std::vector<long long> wholes = {0, 1, -1, 16777217, -16777217, 65504, 65519, 65520, 70000, 0x7fffffff, -0x7fffffffll - 1, 0x7fffffffffffffffll, -0x7fffffffffffffffll - 1, 0x7fffffc000000001ll, 9007199254740993ll};
  while ((int)wholes.size() < n) wholes.push_back((long long)(random() >> (random() % 64)) * (wholes.size() % 2 ? 1 : -1));
  long long *d_wholes, *d_to;
  double *d_from, *d_numbers;
  cudaMallocManaged(&d_wholes, n * 8);
  cudaMallocManaged(&d_from, n * 32 * 8);
  memcpy(d_wholes, wholes.data(), n * 8);
  from_whole<<<n / 64, 64>>>(d_wholes, d_from);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    for (int m = 0; m < 4; ++m) {
      const long long a = wholes[i];
      const double expected[] = {in_mode<float>((int)a, kModes[m]), in_mode<float>((unsigned)a, kModes[m]), in_mode<float>(a, kModes[m]),
                                 short_float((unsigned long long)a, 24, 128, kModes[m]), in_mode<double>(a, kModes[m]), short_float((unsigned long long)a, 53, 1024, kModes[m]),
                                 short_float(a, 11, 16, kModes[m]), short_float((unsigned long long)a, 8, 128, kModes[m])};
      for (int k = 0; k < 8; ++k) expect(d_from[32 * i + 4 * k + m] == expected[k], "a whole number", (double)a, d_from[32 * i + 4 * k + m], expected[k]);
    }

  std::vector<double> numbers = {0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, INFINITY, -INFINITY, NAN, 1e300, -1e300, 2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0, 4294967295.5, 0x1p63, -0x1p63, 0x1p64, 32767.5, 65504, 65535.5, 65536, -1};
  while ((int)numbers.size() < n) numbers.push_back(std::ldexp((double)(long long)random(), (int)(random() % 70) - 70));
  cudaMallocManaged(&d_numbers, n * 8);
  cudaMallocManaged(&d_to, n * 40 * 8);
  memcpy(d_numbers, numbers.data(), n * 8);
  to_whole<<<n / 64, 64>>>(d_numbers, d_to);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    for (int m = 0; m < 4; ++m)
      for (int k = 0; k < 10; ++k) {
        static const int bits[] = {32, 32, 64, 64, 32, 32, 64, 64, 16, 16};
        const double d = numbers[i], in = k < 4 ? d : k < 8 ? (float)d : k == 8 ? (double)__half2float(__float2half((float)d)) : (double)__bfloat162float(__float2bfloat16((float)d));
        const long long expected = whole_in_mode(in, kModes[m], bits[k], k % 2 == 0, k < 4 || (bits[k] == 64));
        expect(d_to[40 * i + 4 * k + m] == expected, "to whole", in, (double)d_to[40 * i + 4 * k + m], (double)expected);
      }

  check_parts<float>();
  check_parts<double>();

  std::vector<unsigned> words = {0, 0x80808080u, 0x7f7f7f7fu, 0xffffffffu, 0x80007fffu, 0x7fff8000u, 0x01ff80feu, 0};
  while ((int)words.size() <= n) words.push_back((unsigned)random());
  unsigned *d_words, *d_video;
  cudaMallocManaged(&d_words, (n + 1) * 4);
  cudaMallocManaged(&d_video, n * 2 * k_videos * 4);
  memcpy(d_words, words.data(), (n + 1) * 4);
  video<<<n / 64, 64>>>(d_words, d_video);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    for (int f = 0; f < 2 * k_videos; ++f) {
      const unsigned expected = lanes(f % k_videos, words[i], words[i + 1], f < k_videos ? 16 : 8), got = d_video[2 * k_videos * i + f];
      expect(got == expected, f < k_videos ? "video function of 16 bits" : "video function of 8 bits", f % k_videos, got, expected);
    }

  check_halves();
  int* bad;
  cudaMallocManaged(&bad, 4);
  half_operations<<<1, 1>>>(bad);
  cudaDeviceSynchronize();
  expect(*bad == 0, "operation on halves", 0, *bad, 0);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
