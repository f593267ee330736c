// Transposition in diagonal order of work-groups: mt_diagonal.cl in CUDA.
#include <cuda_runtime.h>

__global__ void mt_diagonal(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  const int lx = threadIdx.x;
  const int ly = threadIdx.y;
  const int tiles_x = gridDim.x;
  const int tiles_y = gridDim.y;
  const int number = blockIdx.x + tiles_x * blockIdx.y;
  const int row = number % tiles_y;
  const int column = (number / tiles_y + row) % tiles_x;
  const int left = column * TILE;
  const int top = row * TILE;
  tile[ly][lx] = idata[(top + ly) * width + left + lx];
  __syncthreads();
  odata[(left + ly) * height + top + lx] = tile[lx][ly];
}
