#include <cuda_runtime.h>
// Weights in constant memory: one table with values, one that the host fills.
__constant__ float given[9];
__constant__ int shifts[4] = {1, 3, 7, 15};
__device__ float at(const float *image, int width, int x, int y) { return image[y * width + x]; }
__global__ void cu_filter_constant(const float *image, float *out, int width, int which) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += given[(j + 1) * 3 + i + 1] * at(image, width, x + i, y + j);
  out[y * width + x] = sum * (float)shifts[which & 3];
}
