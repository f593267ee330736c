// Arithmetic with a rounding of its own. The witness is the processor's rounding mode.
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>

const int kResults = 7;
template <int Mode> struct Round;
#define OPERATIONS(mode, suffix)                                                                                   \
  template <> struct Round<mode> {                                                                                 \
    static __device__ void of(float a, float b, float c, float* r) {                                               \
      r[0] = __fadd##suffix(a, b), r[1] = __fsub##suffix(a, b), r[2] = __fmul##suffix(a, b);                       \
      r[3] = __fdiv##suffix(a, b), r[4] = __fsqrt##suffix(a), r[5] = __fmaf##suffix(a, b, c);                      \
      r[6] = __frcp##suffix(b);                                                                                    \
    }                                                                                                              \
    static __device__ void of(double a, double b, double c, double* r) {                                           \
      r[0] = __dadd##suffix(a, b), r[1] = __dsub##suffix(a, b), r[2] = __dmul##suffix(a, b);                       \
      r[3] = __ddiv##suffix(a, b), r[4] = __dsqrt##suffix(a), r[5] = __fma##suffix(a, b, c);                       \
      r[6] = __drcp##suffix(b);                                                                                    \
    }                                                                                                              \
  }
OPERATIONS(FE_DOWNWARD, _rd);
OPERATIONS(FE_UPWARD, _ru);
OPERATIONS(FE_TOWARDZERO, _rz);
OPERATIONS(FE_TONEAREST, _rn);

template <int Mode, class T> __global__ void compute(const T* in, T* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) Round<Mode>::of(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + kResults * i);
}

template <int Mode, class T> int differing(const T* in, T* out, int count) {
  compute<Mode><<<(count + 63) / 64, 64>>>(in, out, count);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  std::fesetround(Mode);
  for (int i = 0; i < count; ++i) {
    volatile T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], one = 1;
    volatile T expected[kResults];
    expected[0] = a + b, expected[1] = a - b, expected[2] = a * b, expected[3] = a / b;
    expected[4] = std::sqrt(a), expected[5] = std::fma((T)a, (T)b, (T)c), expected[6] = one / b;
    for (int k = 0; k < kResults; ++k) {
      const T got = out[kResults * i + k], want = expected[k];
      if (got == want || (got != got && want != want)) continue;
      if (++wrong < 5) std::fprintf(stderr, "mode %d, operation %d of %a %a %a: %a, expected %a\n", Mode, k, (double)a, (double)b, (double)c, (double)got, (double)want);
    }
  }
  std::fesetround(FE_TONEAREST);
  return wrong;
}

template <class T> int check(int exponents) {
  const int count = 4096;
  T *in, *out;
  cudaMallocManaged(&in, 3 * count * sizeof(T));
  cudaMallocManaged(&out, kResults * count * sizeof(T));
  unsigned long long state = 88172645463325252ull;  // Marsaglia's xorshift
  const T special[] = {0, 1, -1, 3, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)0.1, (T)(sizeof(T) == 4 ? 3.4028235e38 : 1.7976931348623157e308)};
  for (int i = 0; i < 3 * count; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const T fraction = (T)((state >> 11) / 9007199254740992.0 + 0.5);
    in[i] = i < 3 * 729 ? special[i % 3 == 0 ? i / 3 / 81 : i % 3 == 1 ? i / 3 / 9 % 9 : i / 3 % 9]
                        : std::ldexp(state & 1 ? fraction : -fraction, (int)((state >> 1) % (2 * exponents)) - exponents);
  }
  return differing<FE_DOWNWARD>(in, out, count) + differing<FE_UPWARD>(in, out, count) + differing<FE_TOWARDZERO>(in, out, count) +
         differing<FE_TONEAREST>(in, out, count);
}

int main() {
  const int wrong = check<float>(90) + check<double>(200);
  std::printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
