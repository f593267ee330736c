// Blocks read a region of their own again and again: working_set.cl in CUDA.
#include <cuda_runtime.h>

__global__ void working_set(const float* in, float* out, unsigned int words, unsigned int rounds) {
  const float* const mine = in + blockIdx.x * words;
  float sum = 0.0f;
  for (unsigned int round = 0; round < rounds; ++round)
    for (unsigned int j = threadIdx.x; j < words; j += blockDim.x) sum += mine[j] * (round + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
