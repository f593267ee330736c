// Matrix transposition: mt.cl in CUDA.
#include <cuda_runtime.h>

__global__ void mt(float* odata, const float* idata, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  odata[x * height + y] = idata[y * width + x];
}
