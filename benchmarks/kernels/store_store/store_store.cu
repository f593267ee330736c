// Stores twice to the same lines, from different warps: store_store.cl in CUDA.
#include <cuda_runtime.h>

__global__ void store_store(unsigned int* data, unsigned int shift) {
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  unsigned int* const mine = data + blockIdx.x * items;
  mine[local_id] = 1;
  __syncthreads();
  mine[(local_id + shift) % items] = blockIdx.x * blockDim.x + threadIdx.x;
}
