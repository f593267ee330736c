// One Jacobi step on a grid of nx x ny x nz cells: stencil.cl in CUDA.
#include <cuda_runtime.h>

struct Grid {
  int nx, ny;
  __device__ int operator()(int x, int y, int z) const { return x + nx * (y + ny * z); }
};

__global__ void naive_kernel(float c0, float c1, float* A0, float* Anext, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  const Grid cell{nx, ny};
  if (x < nx - 1) {
    const float neighbours = A0[cell(x, y, z + 1)] + A0[cell(x, y, z - 1)] + A0[cell(x, y + 1, z)] +
                             A0[cell(x, y - 1, z)] + A0[cell(x + 1, y, z)] + A0[cell(x - 1, y, z)];
    Anext[cell(x, y, z)] = c1 * neighbours - c0 * A0[cell(x, y, z)];
  }
}
