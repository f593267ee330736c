// Kernels of the pairs (pairs.txt): one macro or one option makes the difference between OLD and NEW.
#ifdef LIVE  // as many values live through a loop
extern "C" __global__ void live(float *a, int n) {
  float t[LIVE];
#pragma unroll
  for (int i = 0; i < LIVE; ++i) t[i] = a[i * 32 + threadIdx.x];
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < LIVE; ++i) t[i] = t[i] * t[(i + 7) % LIVE] + a[j];
  }
#pragma unroll
  for (int i = 0; i < LIVE; ++i) a[i * 32 + threadIdx.x] = t[i];
}
#endif
#ifdef MIXED  // an array on the stack, and as many values live through a loop
extern "C" __global__ void mixed(float *a, int n, const int *k) {
  float t[MIXED], own[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) own[i] = a[i];
#pragma unroll
  for (int i = 0; i < MIXED; ++i) t[i] = a[i * 32 + threadIdx.x];
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < MIXED; i += 4) t[i] = t[i] * t[(i + 7) % MIXED] + (own[k[j + i] & 15] += a[j]);
  }
#pragma unroll
  for (int i = 0; i < MIXED; ++i) a[i * 32 + threadIdx.x] = t[i] + own[3];
}
#endif
#ifdef CALLS  // how often a function is called that saves its caller's registers, which are no spills
__device__ int fibonacci(const int *a, int n) {
  return n < 2 ? a[n] : fibonacci(a, n - 1) * a[n] + fibonacci(a, n - 2);
}
extern "C" __global__ void calls(int *a, int n) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < CALLS; ++i) sum += fibonacci(a + i, n - i) * a[i];
  a[threadIdx.x] = sum;
}
#endif
#ifdef MATHS
extern "C" __global__ void maths(float *a) {
  float x = a[threadIdx.x];
  a[threadIdx.x] = __sinf(x) / sqrtf(x) + expf(x);
}
#endif
#ifdef VECTOR  // float or float4
extern "C" __global__ void copy(const VECTOR *from, VECTOR *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
#endif
#ifdef PITCH  // 32 or 33
extern "C" __global__ void transpose(const float *from, float *to) {
  __shared__ float tile[32][PITCH];
  tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * 32 + threadIdx.y) * 1024 + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * 32 + threadIdx.y) * 1024 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
#endif
#ifdef REAL  // float or double
extern "C" __global__ void poly(const REAL *x, REAL *y) {
  REAL v = x[threadIdx.x];
  y[threadIdx.x] = ((v * REAL(0.3) + REAL(0.7)) * v + REAL(1.1)) * v;
}
#endif
#ifdef ATOMIC  // 1: atomics; 0: plain stores
extern "C" __global__ void bins(const int *x, int *counts) {
  __shared__ int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  int bin = x[blockIdx.x * 256 + threadIdx.x] & 255;
#if ATOMIC
  atomicAdd(&own[bin], 1);
#else
  own[bin] = 1;
#endif
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
#endif
#ifdef ASYNC  // 1: cp.async; 0: through registers
#include <cuda_pipeline.h>
extern "C" __global__ void stage(const float4 *from, float *to) {
  __shared__ float4 own[128];
#if ASYNC
  __pipeline_memcpy_async(&own[threadIdx.x], &from[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
#else
  own[threadIdx.x] = from[threadIdx.x];
#endif
  __syncthreads();
  to[threadIdx.x] = own[127 - threadIdx.x].y;
}
#endif
#ifdef INDEX  // of a private array: constants, or what is known at run time only
extern "C" __global__ void table(float *a, const int *k) {
  float own[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) own[i] = a[i];
#pragma unroll
  for (int i = 0; i < 16; ++i) own[(INDEX) & 15] += a[i + 16];
  a[threadIdx.x] = own[3] * own[5];
}
#endif
#ifdef HALVES
#include <cuda_fp16.h>
extern "C" __global__ void axpy(const HALVES *x, HALVES *y) {
  int i = threadIdx.x;
  y[i] = x[i] * x[i] + y[i];
}
#endif
#ifdef SHUFFLE  // 1: with lanes' shuffles; 0: by shared memory
extern "C" __global__ void reduce(const int *x, int *y) {
  int v = x[threadIdx.x];
#if SHUFFLE
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
#else
  __shared__ int own[32];
  for (int d = 16; d > 0; d /= 2) {
    own[threadIdx.x] = v;
    __syncthreads();
    v += own[threadIdx.x ^ d];
    __syncthreads();
  }
#endif
  y[threadIdx.x] = v;
}
#endif
