// Matrix multiplication with tiles in shared memory: mm_tiled.cl in CUDA.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(TILE* TILE)
    mm_tiled(const float* A, const float* B, float* C, unsigned int width) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const unsigned int lx = threadIdx.x, ly = threadIdx.y;
  const unsigned int x = blockIdx.x * TILE + lx;
  const unsigned int y = blockIdx.y * TILE + ly;
  float sum = 0.0f;
  for (unsigned int tile = 0; tile < width / TILE; ++tile) {
    a[ly][lx] = A[y * width + tile * TILE + lx];
    b[ly][lx] = B[(tile * TILE + ly) * width + x];
    __syncthreads();
    for (unsigned int k = 0; k < TILE; ++k) sum += a[ly][k] * b[k][lx];
    __syncthreads();
  }
  C[y * width + x] = sum;
}
