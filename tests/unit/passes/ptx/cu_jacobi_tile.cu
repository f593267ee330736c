#include <cuda_runtime.h>
// A five-point step with a tile and its border in shared memory.
#define TILE 16
__global__ void cu_jacobi_tile(const float *__restrict__ in, float *__restrict__ out, int width) {
  __shared__ float tile[TILE + 2][TILE + 2];
  const int x = blockIdx.x * TILE + threadIdx.x + 1, y = blockIdx.y * TILE + threadIdx.y + 1;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  tile[ly][lx] = __ldg(in + y * width + x);
  if (lx == 1) tile[ly][0] = in[y * width + x - 1];
  if (lx == TILE) tile[ly][TILE + 1] = in[y * width + x + 1];
  if (ly == 1) tile[0][lx] = in[(y - 1) * width + x];
  if (ly == TILE) tile[TILE + 1][lx] = in[(y + 1) * width + x];
  __syncthreads();
  out[y * width + x] =
      0.2f * (tile[ly][lx] + tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx]);
}
