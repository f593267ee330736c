// Matrix transposition through a tile in shared memory: mt_tiled.cl in CUDA.
#include <cuda_runtime.h>

__global__ void mt_tiled(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE][TILE];
  const int lx = threadIdx.x;
  const int ly = threadIdx.y;
  const int left = blockIdx.x * TILE;
  const int top = blockIdx.y * TILE;
  tile[ly][lx] = idata[(top + ly) * width + left + lx];
  __syncthreads();
  odata[(left + ly) * height + top + lx] = tile[lx][ly];
}
