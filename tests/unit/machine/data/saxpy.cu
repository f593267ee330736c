// A kernel with parameters, shared and constant memory, a call and inlined code, and one that spills.
#include <cstdio>

__constant__ float table[8];
__device__ int counter;

__device__ __forceinline__ float weighted(float value, int place) {
  return value * table[place & 7];
}

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i >= n) return;
  y[i] = a * tile[threadIdx.x ^ 1] + weighted(y[i], i);
  if (y[i] > 3) printf("%d\n", i);
}

extern "C" __global__ void spill(double* p) {
  double v[24];
  for (int i = 0; i < 24; ++i) v[i] = p[i * 32];
  for (int k = 0; k < 10; ++k)
#pragma unroll
    for (int i = 0; i < 24; ++i) v[i] = v[i] * v[(i + 7) % 24] + k;
  for (int i = 0; i < 24; ++i) p[i * 32] = v[i];
  atomicAdd(&counter, 1);
}
