// One Jacobi step on a plane with the tile and its border in shared memory: stencil2d.cl in CUDA.
#include <cuda_runtime.h>

__global__ void stencil2d(const float* in, float* out, int width) {
  __shared__ float cell[TILE + 2][TILE + 2];
  const int lx = threadIdx.x + 1;
  const int ly = threadIdx.y + 1;
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  cell[ly][lx] = in[y * width + x];
  if (lx == 1) cell[ly][0] = in[y * width + x - 1];
  if (lx == TILE) cell[ly][TILE + 1] = in[y * width + x + 1];
  if (ly == 1) cell[0][lx] = in[(y - 1) * width + x];
  if (ly == TILE) cell[TILE + 1][lx] = in[(y + 1) * width + x];
  __syncthreads();
  out[y * width + x] = 0.25f * (cell[ly][lx - 1] + cell[ly][lx + 1] + cell[ly - 1][lx] + cell[ly + 1][lx]);
}
