// The same kernel twice: with a barrier that all threads reach, and with one that some have left before, for which
// the threads get stacks of their own. Everything that a kernel may use gives the same results both ways.
#include <cmath>
#include <cstdio>

struct Settings {
  float weights[3];
  int shift;
  double exponent;
};
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int visits;
__device__ float sums[8];
#if CUDART_VERSION < 12000
texture<float, 1> samples;
#else  // which has no references of textures
__device__ float samples[64];
#define tex1Dfetch(array, i) array[i]
#define cudaBindTexture(offset, array, data, bytes) cudaMemcpyToSymbol(array, data, bytes)
#endif

template <bool Leave> __global__ void everything(Settings own, float* out, const float4* in, int n) {
  extern __shared__ float dynamic[];
  __shared__ float fixed[64];
  const int i = threadIdx.x;
  const bool on = i < n;
  float local[16];
  for (int k = 0; k < 16; ++k) local[k * i % 16] = k + i;
  if (Leave && !on) return;
  if (on) {
    own.shift += i;  // each thread has its own copy
    fixed[i] = expf(own.weights[i % 3]) + sinf((float)own.exponent) + powf(2.0f, (float)(i % 5)) + table[i % 4] + erff(0.5f);
    dynamic[i] = fixed[i] * 2 + in[i].y;
  }
  __syncthreads();
  if (!on) return;
  atomicAdd(&visits, 1);
  atomicAdd(&sums[i % 8], 0.5f);
  out[i] = dynamic[n - 1 - i] + own.shift + local[i % 16] + tex1Dfetch(samples, i) + __popc(i) + rsqrtf(4.0f) + fmaf(i, 2.0f, 3.0f) + (float)log2(i + 1.0);
  if (i == 5) printf("thread %d of %s\n", i, Leave ? "those that leave" : "all");
}

int main() {
  const int n = 50;
  float *out, *texels;
  float4* in;
  cudaMallocManaged(&out, 2 * 64 * sizeof(float));
  cudaMallocManaged(&texels, 64 * sizeof(float));
  cudaMallocManaged(&in, 64 * sizeof(float4));
  for (int i = 0; i < 64; ++i) in[i] = make_float4(i, i * 0.5f, 0, 0), texels[i] = i * 0.125f;
  cudaBindTexture(nullptr, samples, texels, 64 * sizeof(float));
  const Settings settings = {{0.1f, 0.2f, 0.3f}, 7, 2.0};
  everything<false><<<1, 64, 64 * sizeof(float)>>>(settings, out, in, n);
  everything<true><<<1, 64, 64 * sizeof(float)>>>(settings, out + 64, in, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float last = 0;
    for (int k = 0; k < 16; ++k)
      if (k * i % 16 == i % 16) last = k + i;
    const int j = n - 1 - i;
    const float weight[] = {0.1f, 0.2f, 0.3f}, of_table[] = {1, 2, 3, 4};
    const double fixed = std::exp(weight[j % 3]) + std::sin(2.0) + std::pow(2.0, j % 5) + of_table[j % 4] + std::erf(0.5);
    const double expected = 2 * fixed + 0.5 * j + 7 + i + last + 0.125 * i + __builtin_popcount(i) + 0.5 + 2.0 * i + 3 + std::log2(i + 1.0);
    const float values[] = {out[i], out[64 + i]};
    for (const float got : values)
      if (std::fabs(got - expected) > 1e-4 * expected) printf("%d: %g, expected %g\n", i, got, expected), ++wrong;
  }
  int visited = 0;
  cudaMemcpyFromSymbol(&visited, visits, sizeof(visited));
  wrong += visited != 2 * n;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
