// Loads that lie `stride` words apart from lane to lane: stride.cl in CUDA.
#include <cuda_runtime.h>

__global__ void stride(const float* in, float* out, unsigned int stride, unsigned int per_item) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int items = gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (unsigned int k = 0; k < per_item; ++k) sum += in[(k * items + i) * stride];
  out[i] = sum;
}
