#include <cuda_runtime.h>
// A template of tile and micro-tile sizes; private arrays become registers.
template <class T, int TILE, int MICRO>
__global__ void gemm(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n) {
  __shared__ T as[TILE][TILE], bs[TILE][TILE];
  T sum[MICRO] = {};
  const int x = blockIdx.x * TILE + threadIdx.x, y0 = blockIdx.y * TILE + threadIdx.y * MICRO;
  for (int k0 = 0; k0 < n; k0 += TILE) {
    for (int m = 0; m < MICRO; ++m) {
      as[threadIdx.y * MICRO + m][threadIdx.x] = a[(y0 + m) * n + k0 + threadIdx.x];
      bs[threadIdx.y * MICRO + m][threadIdx.x] = b[(k0 + threadIdx.y * MICRO + m) * n + x];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      for (int m = 0; m < MICRO; ++m) sum[m] += as[threadIdx.y * MICRO + m][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  for (int m = 0; m < MICRO; ++m) c[(y0 + m) * n + x] = sum[m];
}
template __global__ void gemm<double, 8, 2>(const double *, const double *, double *, int);
