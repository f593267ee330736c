// Sum per block, a tree in shared memory: reduction.cl in CUDA. The array's size is the launch's third number.
#include <cuda_runtime.h>

__global__ void reduction(const float* in, float* out, unsigned int per_item) {
  extern __shared__ float scratch[];
  const unsigned int items = gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (unsigned int k = 0; k < per_item; ++k) sum += in[k * items + blockIdx.x * blockDim.x + threadIdx.x];
  scratch[threadIdx.x] = sum;
  for (unsigned int half_size = blockDim.x / 2; half_size > 0; half_size /= 2) {
    __syncthreads();
    if (threadIdx.x < half_size) scratch[threadIdx.x] += scratch[threadIdx.x + half_size];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = scratch[0];
}
