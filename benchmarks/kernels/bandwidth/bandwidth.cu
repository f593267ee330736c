// Reads an array in loads of 16 bytes: bandwidth.cl in CUDA.
#include <cuda_runtime.h>

__global__ void bandwidth(const float4* in, float* out, unsigned int vectors) {
  const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int items = gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (unsigned int k = first; k < vectors; k += items) {
    const float4 value = in[k];
    sum += value.x + value.y + value.z + value.w;
  }
  out[first] = sum;
}
