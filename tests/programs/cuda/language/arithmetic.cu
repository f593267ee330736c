// What C++ leaves open and a GPU does not: shifts by all bits and more, conversions of what does not fit, divisions by zero, the smallest
// number by -1, minimum and maximum of NaN. Right are the sentences of the PTX manual (shl, shr, cvt, min), and for divisions by zero what
// NVIDIA's assembler makes of div and rem: all bits set. (Of a quotient and a remainder of the same numbers nvcc computes one by the other.)
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>

constexpr int kWhole = 28, kFloating = 17;
__constant__ int forty = 40;

/// Each operation of values that no compiler knows.
__global__ void on_values(const int64_t* left, const int64_t* right, int64_t* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t a = left[i], b = right[i];
  const int n = (int)b;
  int64_t* own = out + kWhole * i;
  int k = 0;
  own[k++] = (unsigned)a << n;
  own[k++] = (unsigned)a >> n;
  own[k++] = (int)a << n;
  own[k++] = (int)a >> n;
  own[k++] = (int64_t)((uint64_t)a << n);
  own[k++] = (int64_t)((uint64_t)a >> n);
  own[k++] = a >> n;
  own[k++] = (short)a << n;
  own[k++] = (unsigned char)a >> n;
  own[k++] = 1u << (n + 1);
  own[k++] = (unsigned)a >> (32 - n);
  own[k++] = ((unsigned)a << n) + ((unsigned)a >> 3);
  own[k++] = n > 3 ? (unsigned)a << n : 77;
  own[k++] = (unsigned)a << (n & 31) | (unsigned)a >> (-n & 31);
  own[k++] = (int)a / n;
  own[k++] = n % (int)a;
  own[k++] = (unsigned)a / (unsigned)n;
  own[k++] = (unsigned)n % (unsigned)a;
  own[k++] = a / b;
  own[k++] = b % a;
  own[k++] = (int64_t)((uint64_t)a / (uint64_t)b);
  own[k++] = (int64_t)((uint64_t)b % (uint64_t)a);
  own[k++] = (int)((unsigned)a + (unsigned)n);
  own[k++] = (int)((unsigned)a * (unsigned)n);
  own[k++] = (int)a < 0 ? -(unsigned)a : (unsigned)a;
  // Of what the compiler knows when it has inlined and unrolled.
  int wide = 3;
  for (int i = 0; i < 10; ++i) wide += 3;
  int loops = 0;
  for (int by = 30; by < 36; ++by) loops += ((int)a << by) != 0;
  own[k++] = (unsigned)a << wide;
  own[k++] = (int)a >> wide;
  own[k++] = loops + ((int)a >> forty);
}

__device__ float hidden = 3e9f;
__global__ void on_floats(const double* left, const double* right, int64_t* out, float* sizes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double a = left[i], b = right[i];
  const float f = (float)a, g = (float)b;
  int64_t* own = out + kFloating * i;
  int k = 0;
  own[k++] = (int)f;
  own[k++] = (unsigned)f;
  own[k++] = (long long)f;
  own[k++] = (int64_t)(unsigned long long)f;
  own[k++] = (int)a;
  own[k++] = (unsigned)a;
  own[k++] = (long long)a;
  own[k++] = (int64_t)(unsigned long long)a;
  own[k++] = (unsigned char)f;
  own[k++] = (signed char)f;
  own[k++] = (unsigned short)f;
  own[k++] = (short)f;
  own[k++] = (short)a;
  float known = 3e9f;
  own[k++] = (int)known;
  own[k++] = (int)-known;
  own[k++] = (unsigned)-known;
  own[k++] = (int)hidden;
  float* minima = sizes + 8 * i;
  minima[0] = fminf(f, g);
  minima[1] = fmaxf(f, g);
  minima[2] = (float)fmin(a, b);
  minima[3] = (float)fmax(a, b);
  minima[4] = min(f, g);
  minima[5] = max(f, g);
  minima[6] = fmaxf(0.0f, f);
  minima[7] = fminf(f, 1.0f);
}

// The host's own arithmetic, in types that hold every result.
static uint64_t shifted(uint64_t a, int64_t n, int bits, bool left) {
  const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  const uint32_t amount = (uint32_t)n;
  return amount >= (uint32_t)bits ? 0 : (left ? a << amount : (a & mask) >> amount) & mask;
}
static int64_t with_sign(int64_t a, int64_t n, int bits) {
  const uint32_t amount = (uint32_t)n;
  return a >> (amount >= (uint32_t)bits ? bits - 1 : amount);
}
static int wrong = 0;
static void expect(const char* what, int i, int k, int64_t got, int64_t expected) {
  if (got != expected && ++wrong <= 20) std::printf("%s, input %d, result %d: %lld, expected %lld\n", what, i, k, (long long)got, (long long)expected);
}

static void check_whole(int i, int64_t a, int64_t b, const int64_t* got) {
  const int sa = (int)a, n = (int)b;
  const unsigned ua = (unsigned)a;
  const __int128 wide_a = a, wide_b = b;
  const unsigned __int128 bare_a = (uint64_t)a, bare_b = (uint64_t)b;
  unsigned rotated = ua;
  for (int turn = 0; turn < (n & 31); ++turn) rotated = rotated << 1 | rotated >> 31;
  int loops = 0;
  for (int by = 30; by < 36; ++by) loops += by < 32 && (unsigned)sa << by != 0;
  const int64_t expected[kWhole] = {
      (int64_t)shifted(ua, n, 32, true), (int64_t)shifted(ua, n, 32, false), (int)shifted(ua, n, 32, true), with_sign(sa, n, 32),
      (int64_t)shifted((uint64_t)a, n, 64, true), (int64_t)shifted((uint64_t)a, n, 64, false), with_sign(a, n, 64),
      (int)shifted((unsigned)(int)(short)a, n, 32, true), with_sign((unsigned char)a, n, 32), (int64_t)shifted(1, (int64_t)n + 1, 32, true),
      (int64_t)shifted(ua, 32 - (int64_t)n, 32, false), (unsigned)(shifted(ua, n, 32, true) + (ua >> 3)),
      n > 3 ? (int64_t)shifted(ua, n, 32, true) : 77, rotated,
      n == 0 ? -1 : (int)((int64_t)sa / n), sa == 0 ? -1 : (int)((int64_t)n % sa),
      n == 0 ? UINT_MAX : ua / (unsigned)n, ua == 0 ? UINT_MAX : (unsigned)n % ua,
      b == 0 ? -1 : (int64_t)(wide_a / wide_b), a == 0 ? -1 : (int64_t)(wide_b % wide_a),
      b == 0 ? -1 : (int64_t)(bare_a / bare_b), a == 0 ? -1 : (int64_t)(bare_b % bare_a),
      (int)(ua + (unsigned)n), (int)(ua * (unsigned)n), sa < 0 ? 0u - ua : ua, 0, sa < 0 ? -1 : 0, loops + (sa < 0 ? -1 : 0)};
  for (int k = 0; k < kWhole; ++k) expect("whole", i, k, got[k], expected[k]);
}

/// cvt.rzi: the nearest number of the type. A NaN is 0, or the first bit alone where 64 bits are at either end.
static int64_t converted(double a, int bits, bool is_signed, bool is_wide) {
  const __int128 first = is_signed ? -((__int128)1 << (bits - 1)) : 0, last = first + (((__int128)1 << bits) - 1);
  if (a != a) return is_wide || bits == 64 ? (int64_t)(bits == 64 ? 1ull << 63 : is_signed ? -(1ll << 31) : 1ll << 31) : 0;
  const double whole = std::trunc(a);
  return (int64_t)(whole <= (double)first ? first : whole >= (double)last ? last : (__int128)whole);
}
static void check_floating(int i, double a, double b, const int64_t* got, const float* sizes) {
  const float f = (float)a, g = (float)b;
  const int narrow_s = (int)converted(f, 32, true, false);
  const unsigned narrow_u = (unsigned)converted(f, 32, false, false);
  const int64_t expected[] = {narrow_s, narrow_u, converted(f, 64, true, false), converted(f, 64, false, false), converted(a, 32, true, true),
                              converted(a, 32, false, true), converted(a, 64, true, true), converted(a, 64, false, true),
                              (unsigned char)narrow_u, (signed char)narrow_s, (unsigned short)narrow_u, (short)narrow_s,
                              (short)converted(a, 32, true, true), INT_MAX, INT_MIN, 0, INT_MAX};
  for (int k = 0; k < 17; ++k) expect("floating", i, k, got[k], expected[k]);
  const auto least = [](float x, float y) { return x != x ? y : y != y ? x : x < y ? x : y; };
  const auto most = [](float x, float y) { return x != x ? y : y != y ? x : x > y ? x : y; };
  const float sizes_expected[] = {least(f, g), most(f, g), least(f, g), most(f, g), least(f, g), most(f, g), most(0, f), least(f, 1)};
  for (int k = 0; k < 8; ++k)
    if (!(sizes[k] == sizes_expected[k] || (sizes[k] != sizes[k] && sizes_expected[k] != sizes_expected[k])) && ++wrong <= 20)
      std::printf("size, input %d, result %d: %g, expected %g\n", i, k, sizes[k], sizes_expected[k]);
}

template <class T> static T* managed(int count) {
  T* memory;
  cudaMallocManaged(&memory, count * sizeof(T));
  return memory;
}

int main() {
  const int64_t numbers[] = {0, 1, -1, 5, -5, 6, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN, 0x123456789abcdefll, 0xdeadbeef};
  const int64_t amounts[] = {0, 1, 5, 15, 31, 32, 33, 40, 63, 64, 65, 255, 256, -1, -5, INT_MIN, INT_MAX};
  const double values[] = {0, -0.0, 0.5, -0.5, 1.9, -1.9, 255, 256, 300, -129, 65535, 70000, 2147483647, 2147483648.0, -2147483648.0, -2147484000.0, 4294967295.0,
                           4294967296.0, 1e10, -1e10, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, INFINITY, -INFINITY, NAN};
  const int wholes = 12 * 17, floats = 28 * 28;
  int64_t *a = managed<int64_t>(wholes), *b = managed<int64_t>(wholes), *out = managed<int64_t>(wholes * kWhole), *from_floats = managed<int64_t>(floats * kFloating);
  double *x = managed<double>(floats), *y = managed<double>(floats);
  float* sizes = managed<float>(8 * floats);
  for (int i = 0; i < wholes; ++i) a[i] = numbers[i / 17], b[i] = amounts[i % 17];
  for (int i = 0; i < floats; ++i) x[i] = values[i / 28], y[i] = values[i % 28];
  on_values<<<12, 17>>>(a, b, out);
  on_floats<<<28, 28>>>(x, y, from_floats, sizes);
  std::printf("%s, ", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < wholes; ++i) check_whole(i, a[i], b[i], out + kWhole * i);
  for (int i = 0; i < floats; ++i) check_floating(i, x[i], y[i], from_floats + kFloating * i, sizes + 8 * i);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
