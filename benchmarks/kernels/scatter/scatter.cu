// Indirect writes: scatter.cl in CUDA.
#include <cuda_runtime.h>

__global__ void scatter(const unsigned int* key, const float* in, float* out, unsigned int mask, unsigned int per_item) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int items = gridDim.x * blockDim.x;
  for (unsigned int k = 0; k < per_item; ++k) out[key[k * items + i] * 2654435769u & mask] = in[k * items + i];
}
