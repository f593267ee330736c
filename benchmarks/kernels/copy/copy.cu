// Copies one array to another: copy.cl in CUDA.
#include <cuda_runtime.h>

__global__ void copy(const float* in, float* out) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int items = gridDim.x * blockDim.x;
  float value[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) value[k] = in[k * items + i];
  for (int k = 0; k < PER_ITEM; ++k) out[k * items + i] = value[k];
}
