// Three-dimensional convolution with weights 1 2 1 in each direction: conv3d.cl in CUDA.
#include <cuda_runtime.h>

__global__ void conv3d(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  float sum = 0.0f;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += (2 - dx * dx) * (2 - dy * dy) * (2 - dz * dz) * in[((z + dz) * ny + y + dy) * nx + x + dx];
  out[(z * ny + y) * nx + x] = sum / 64;
}
