// Stores, then loads what a neighbour has stored: store_load.cl in CUDA.
#include <cuda_runtime.h>

__global__ void store_load(unsigned int* data, unsigned int* out, unsigned int shift) {
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  unsigned int* const mine = data + blockIdx.x * items;
  unsigned int before = 0;
#if LOAD_FIRST
  before = mine[local_id];
#endif
  __syncthreads();
  mine[local_id] = before + blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine[(local_id + shift) % items];
}
