// cuRAND in kernels: Philox against the published test vectors, moments of all kinds of numbers, and pi.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>

__global__ void vectors(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 4; ++i) out[i] = curand(&state);
  // Key a4093822 299f31d0, counter 243f6a88 85a308d3 13198a2e 03707344: digits of pi.
#ifdef __clang__
  const uint4 four = __warpscope_philox(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
#else  // NVIDIA's header has a name of its own for it
  const uint4 four = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
#endif
  out[4] = four.x, out[5] = four.y, out[6] = four.z, out[7] = four.w;
  // Number 10 of subsequence 3, by counting and by an offset.
  curand_init(42, 3, 0, &state);
  for (int i = 0; i < 10; ++i) curand(&state);
  out[8] = curand(&state);
  curand_init(42, 3, 10, &state);
  out[9] = curand(&state);
}
template <class State> __global__ void moments(double* out, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(7, t, 0, &state);
  double sums[6] = {};
  for (int i = 0; i < each; ++i) {
    const double u = curand_uniform(&state), n = curand_normal(&state), d = curand_normal_double(&state);
    sums[0] += u, sums[1] += u * u, sums[2] += n, sums[3] += n * n, sums[4] += d * d, sums[5] += curand_poisson(&state, 4.0);
  }
  for (int i = 0; i < 6; ++i) atomicAdd(out + i, sums[i]);
}
__global__ void setup(curandState* states) { curand_init(1234, threadIdx.x, 0, &states[threadIdx.x]); }
__global__ void quarter(curandState* states, int* inside, int each) {
  curandState own = states[threadIdx.x];
  int count = 0;
  for (int i = 0; i < each; ++i) {
    const float x = curand_uniform(&own), y = curand_uniform(&own);
    count += x * x + y * y < 1;
  }
  states[threadIdx.x] = own;
  atomicAdd(inside, count);
}

static int wrong = 0;
static void expect(const char* what, double got, double expected, double error) {
  if (std::fabs(got - expected) <= error) return;
  printf("%s: %g, expected %g\n", what, got, expected);
  ++wrong;
}
template <class State> static void check(double* sums) {
  for (int i = 0; i < 6; ++i) sums[i] = 0;
  moments<State><<<8, 64>>>(sums, 100);
  cudaDeviceSynchronize();
  const double n = 8 * 64 * 100, deviation = 1 / std::sqrt(n);  // five of them are allowed
  expect("mean of uniform", sums[0] / n, 0.5, 5 * deviation * std::sqrt(1.0 / 12));
  expect("square of uniform", sums[1] / n, 1.0 / 3, 5 * deviation * std::sqrt(4.0 / 45));
  expect("mean of normal", sums[2] / n, 0, 5 * deviation);
  expect("square of normal", sums[3] / n, 1, 5 * deviation * std::sqrt(2.0));
  expect("square of normal, double", sums[4] / n, 1, 5 * deviation * std::sqrt(2.0));
  expect("mean of Poisson", sums[5] / n, 4, 5 * deviation * 2);
}

int main() {
  unsigned* bits;
  cudaMallocManaged(&bits, 64);
  vectors<<<1, 1>>>(bits);
  cudaDeviceSynchronize();
  const unsigned published[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  for (int i = 0; i < 8; ++i) expect("Philox", bits[i], published[i], 0);
  expect("offset", bits[9], bits[8], 0);
  double* sums;
  cudaMallocManaged(&sums, 6 * sizeof(double));
  check<curandStatePhilox4_32_10_t>(sums);
  check<curandState>(sums);
  curandState* states;
  int* inside;
  cudaMalloc(&states, 128 * sizeof(curandState));
  cudaMallocManaged(&inside, sizeof(int));
  *inside = 0;
  setup<<<1, 128>>>(states);
  quarter<<<1, 128>>>(states, inside, 1000);
  cudaDeviceSynchronize();
  expect("pi", 4.0 * *inside / 128000, 3.14159265, 5 * 4 * std::sqrt(0.1685 / 128000));
  expect("size of a state", sizeof(curandState), 48, 0);
  expect("size of Philox's state", sizeof(curandStatePhilox4_32_10_t), 64, 0);
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
