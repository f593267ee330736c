// Device mathematics that OpenCL's built-ins do not have, against the C library's long double: at the ends of their domains, on
// subnormal numbers, on what is no number, and on random arguments. With an argument, the largest errors are printed.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

// One line each: function, largest error for float and double of Warpscope's own, then what NVIDIA's documentation states of nvcc's: the most
// units between the result and the rounded exact value (CUDA C++ Programming Guide, mathematical functions). Errors are in units of the last
// place; of the Bessel functions J and Y, which cross zero, in units of the last place of 1 where the value is smaller than 1.
#define FUNCTIONS(X)            \
  X(erfinv, 3, 3, 2, 5)         \
  X(erfcinv, 3, 3, 4, 6)        \
  X(erfcx, 3, 3, 4, 4)          \
  X(normcdf, 2, 2, 5, 5)        \
  X(normcdfinv, 3, 3, 5, 8)     \
  X(cyl_bessel_i0, 9, 9, 6, 6)  \
  X(cyl_bessel_i1, 9, 9, 6, 6)  \
  X(rcbrt, 2, 2, 1, 1)          \
  X(j0, 2, 2, 9, 7)             \
  X(j1, 2, 2, 9, 7)             \
  X(y0, 3, 3, 9, 7)             \
  X(y1, 3, 3, 9, 7)
// OpenCL's own, whose errors are the implementation's.
#define BUILTINS(X)                                                                                                               \
  X(sin, 3, 3, 2, 2) X(cos, 3, 3, 2, 2) X(tan, 3, 3, 4, 2) X(asin, 3, 3, 2, 2) X(acos, 3, 3, 2, 2) X(atan, 3, 3, 2, 2)               \
  X(sinh, 3, 3, 3, 2) X(cosh, 3, 3, 2, 2) X(tanh, 3, 3, 2, 1) X(asinh, 3, 3, 3, 3) X(acosh, 3, 3, 4, 3) X(atanh, 3, 3, 3, 2)         \
  X(exp, 3, 3, 2, 1) X(exp2, 3, 3, 2, 1) X(exp10, 3, 3, 2, 1) X(expm1, 3, 3, 1, 1) X(log, 3, 3, 1, 1) X(log2, 3, 3, 1, 1)            \
  X(log10, 3, 3, 2, 1) X(log1p, 3, 3, 1, 1) X(erf, 3, 3, 2, 2) X(erfc, 3, 3, 4, 5) X(cbrt, 3, 3, 1, 1) X(sqrt, 0.5, 0.5, 0, 0)       \
  X(tgamma, 3, 3, 5, 10)
enum Function {
#define X(name, ...) k_##name,
  FUNCTIONS(X)
  BUILTINS(X)
#undef X
  k_rhypot, k_norm3d, k_norm4d, k_rnorm3d, k_norm, k_rnorm, k_jn3, k_yn3, k_jn20, k_all
};
static const char* const kNames[] = {
#define X(name, ...) #name,
  FUNCTIONS(X)
  BUILTINS(X)
#undef X
  "rhypot", "norm3d", "norm4d", "rnorm3d", "norm", "rnorm", "jn(3, x)", "yn(3, x)", "jn(20, x)"};
static const double kBounds[][2] = {
#ifdef __clang__
#define X(name, single, whole, ...) {single, whole},
#else
#define X(name, own_single, own_whole, single, whole) {single + 0.5, whole + 0.5},
#endif
  FUNCTIONS(X)
  BUILTINS(X)
#undef X
  {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {3, 3}, {2, 2}, {4, 4}, {2, 2}};

__device__ float norm3(float a, float b, float c) { return norm3df(a, b, c); }
__device__ double norm3(double a, double b, double c) { return norm3d(a, b, c); }
__device__ float norm4(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
__device__ double norm4(double a, double b, double c, double d) { return norm4d(a, b, c, d); }
__device__ float rnorm3(float a, float b, float c) { return rnorm3df(a, b, c); }
__device__ double rnorm3(double a, double b, double c) { return rnorm3d(a, b, c); }
__device__ float lengths(int n, const float* a) { return normf(n, a); }
__device__ double lengths(int n, const double* a) { return norm(n, a); }
__device__ float rlengths(int n, const float* a) { return rnormf(n, a); }
__device__ double rlengths(int n, const double* a) { return rnorm(n, a); }
__device__ float order(int n, float x) { return jnf(n, x); }
__device__ double order(int n, double x) { return jn(n, x); }
__device__ float second(int n, float x) { return ynf(n, x); }
__device__ double second(int n, double x) { return yn(n, x); }

template <class T>
__global__ void evaluate(const T* in, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
  T* own = out + (size_t)i * k_all;
#define X(name, ...) own[k_##name] = name(a);
  FUNCTIONS(X)
  BUILTINS(X)
#undef X
  own[k_rhypot] = rhypot(a, b);
  own[k_norm3d] = norm3(a, b, c);
  own[k_norm4d] = norm4(a, b, c, d);
  own[k_rnorm3d] = rnorm3(a, b, c);
  own[k_norm] = lengths(4, in + i);
  own[k_rnorm] = rlengths(4, in + i);
  own[k_jn3] = order(3, a);
  own[k_yn3] = second(3, a);
  own[k_jn20] = order(20, a);
}

typedef long double Exact;
static const Exact kPi = acosl(-1.0L), kNone = std::numeric_limits<Exact>::quiet_NaN(), kInfinity = INFINITY;
// Newton's step from what the device says: the exact value if that is close, and far away if not.
static Exact inverse(Exact tail, Exact y) { return y + (erfcl(y) - tail) * sqrtl(kPi) / 2 * expl(y * y); }
static Exact erfinv_exact(Exact x, Exact got) {
  if (!(fabsl(x) < 1)) return fabsl(x) == 1 ? x * kInfinity : kNone;
  if (fabsl(x) > 0.5L) return copysignl(inverse(1 - fabsl(x), fabsl(got)), x);
  return got - (erfl(got) - x) * sqrtl(kPi) / 2 * expl(got * got);
}
static Exact erfcinv_exact(Exact x, Exact got) {
  if (!(x > 0 && x < 2)) return x == 0 ? kInfinity : x == 2 ? -kInfinity : kNone;
  if (x > 0.5L && x < 1.5L) return erfinv_exact(1 - x, got);
  return x < 1 ? inverse(x, got) : -inverse(2 - x, -got);
}
// DLMF 7.12.1.
static Exact asymptotic(Exact x) {
  Exact term = 1 / (x * sqrtl(kPi)), sum = term;
  for (int k = 1; k < 12; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum;
}
static Exact modified(int n, Exact x) {
  if (x != x) return kNone;
  if (fabsl(x) > 2000) return n % 2 ? x * kInfinity : kInfinity;
  Exact term = n ? x / 2 : 1, sum = term;
  for (int k = 1; k < 3000; ++k) sum += term *= x * x / 4 / k / (k + n);
  return sum;
}
static Exact length(const Exact* x, int n) {
  Exact sum = 0;
  for (int k = 0; k < n; ++k) {
    if (fabsl(x[k]) == kInfinity) return kInfinity;
    sum += x[k] * x[k];
  }
  return sqrtl(sum);
}
static Exact bessel_y(int n, Exact x) { return x == 0 ? -kInfinity : x > 0 ? ynl(n, x) : kNone; }
static Exact exact(int f, const Exact* in, Exact got) {
  const Exact x = in[0];
  switch (f) {
    case k_erfinv: return erfinv_exact(x, got);
    case k_erfcinv: return erfcinv_exact(x, got);
    case k_erfcx: return x > 60 ? asymptotic(x) : expl(x * x) * erfcl(x);
    case k_normcdf: return erfcl(-x / sqrtl(2)) / 2;
    case k_normcdfinv: return -sqrtl(2) * erfcinv_exact(2 * x, -got / sqrtl(2));
    case k_cyl_bessel_i0: return modified(0, x);
    case k_cyl_bessel_i1: return modified(1, x);
    case k_rcbrt: return 1 / cbrtl(x);
    case k_j0: return j0l(x);
    case k_j1: return j1l(x);
    case k_y0: return bessel_y(0, x);
    case k_y1: return bessel_y(1, x);
    case k_rhypot: return 1 / length(in, 2);
    case k_norm3d: return length(in, 3);
    case k_norm4d: case k_norm: return length(in, 4);
    case k_rnorm3d: return 1 / length(in, 3);
    case k_rnorm: return 1 / length(in, 4);
    case k_jn3: return x < 0 ? -jnl(3, -x) : jnl(3, x);
    case k_yn3: return bessel_y(3, x);
#define X(name, ...) \
    case k_##name: return name##l(x);
    BUILTINS(X)
#undef X
    default: return jnl(20, fabsl(x));
  }
}
static bool crosses_zero(int f) { return (f >= k_j0 && f <= k_y1) || f >= k_jn3; }

// Of nvcc's Bessel functions from 8 on, and of higher orders, an absolute error is stated. Those of higher orders begin with 2 / x, which is
// infinite for the smallest x, and give no number then: libdevice's code does the same on the host.
static double bound_of(int f, int type, double x) {
#ifndef __clang__
  const double absolute = type ? 5e-12 / 0x1p-52 : 2.2e-6 / 0x1p-23;
  if (f >= k_jn3) return std::fabs(x) < 1e-14 ? HUGE_VAL : absolute;
  if (crosses_zero(f) && !(std::fabs(x) < 8)) return absolute;
#endif
  (void)f, (void)x;
  return kBounds[f][type];
}

// In units of T's last place. What is too large for T must be infinite.
template <class T>
static double error_of(int f, Exact expected, T got) {
  typedef std::numeric_limits<T> Limits;
  if (expected != expected || got != got) return expected != expected && got != got ? 0 : HUGE_VAL;
  if (std::isinf(got)) return (got > 0) == (expected > 0) && fabsl(expected) > (Exact)Limits::max() * (1 - 4 * Limits::epsilon()) ? 0 : HUGE_VAL;
  Exact size = fabsl(expected);
  if (crosses_zero(f) && size < 1) size = 1;
  int exponent = 0;
  if (size < (Exact)Limits::min()) size = Limits::min();
  frexpl(size, &exponent);
  return (double)(fabsl(got - expected) / ldexpl(Limits::epsilon(), exponent - 1));
}

template <class T>
static std::vector<T> inputs(int count) {
  typedef std::numeric_limits<T> Limits;
  std::vector<T> in = {0, 1, 2, 3, 0.5, 1.5, 0.25, 8, 16, 25, 20, Limits::denorm_min(), Limits::min(), Limits::min() / 2, Limits::max(), Limits::max() / 2,
                       Limits::infinity(), Limits::quiet_NaN(), (T)(1 - Limits::epsilon() / 2), (T)(1 + Limits::epsilon()), (T)(2 - Limits::epsilon())};
  for (int i = (int)in.size(); i-- > 0;) in.push_back(-in[i]);
  std::mt19937 random(7);
  const double scales[] = {1, 2, 4, 10, 30, 100, 800};
  while ((int)in.size() < count) {
    const double u = (double)(random() >> 2) / (1 << 29) - 1;
    if (in.size() % 8 == 7) in.push_back((T)std::ldexp(u, (int)(random() % 240) - 120));
    else in.push_back((T)(u * scales[in.size() % 8]));
  }
  return in;
}

template <class T>
static int check(int type, bool tells) {
  const int n = 2048;
  const std::vector<T> in = inputs<T>(n + 3);
  T *d_in, *d_out;
  cudaMalloc(&d_in, (n + 3) * sizeof(T));
  cudaMalloc(&d_out, (size_t)n * k_all * sizeof(T));
  cudaMemcpy(d_in, in.data(), (n + 3) * sizeof(T), cudaMemcpyHostToDevice);
  evaluate<T><<<n / 64, 64>>>(d_in, d_out);
  std::vector<T> out((size_t)n * k_all);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int f = 0; f < k_all; ++f) {
    double most = 0;
    for (int i = 0; i < n; ++i) {
      const Exact around[] = {in[i], in[i + 1], in[i + 2], in[i + 3]};
      const T got = out[(size_t)i * k_all + f];
      const Exact expected = exact(f, around, got);
      const double error = error_of(f, expected, got);
      if (!(error <= bound_of(f, type, (double)in[i])) && ++wrong <= 20 + (tells ? 1000 : 0))
        fprintf(stderr, "%s of %s: %.9g gives %.17g instead of %.20Lg, error %g\n", kNames[f], type ? "double" : "float", (double)in[i], (double)got, expected, error);
      if (error > most) most = error;
    }
    if (tells) printf("%-14s %s %.2f\n", kNames[f], type ? "double" : "float ", most);
  }
  return wrong;
}

int main(int argc, char**) {
  const int wrong = check<float>(0, argc > 1) + check<double>(1, argc > 1);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
