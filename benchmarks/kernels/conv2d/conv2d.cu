// Two-dimensional convolution with 3 x 3 weights in constant memory: conv2d.cl in CUDA.
#include <cuda_runtime.h>

__constant__ float weight[9];

__global__ void conv2d(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float sum = 0.0f;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += weight[3 * dy + dx] * in[(y + dy - 1) * width + x + dx - 1];
  out[y * width + x] = sum;
}
