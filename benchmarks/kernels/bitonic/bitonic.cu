// Sorts blocks of keys in shared memory by Batcher's bitonic network: bitonic.cl in CUDA.
#include <cuda_runtime.h>

__global__ void bitonic(unsigned int* keys) {
  extern __shared__ unsigned int block[];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int first = blockIdx.x * 2 * items;
  block[local_id] = keys[first + local_id];
  block[local_id + items] = keys[first + local_id + items];
  for (unsigned int length = 2; length <= 2 * items; length *= 2) {
    for (unsigned int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const unsigned int lower = 2 * local_id - local_id % distance;
      const unsigned int upper = lower + distance;
      const unsigned int a = block[lower];
      const unsigned int b = block[upper];
      const bool is_descending = (lower & length) != 0 && length != 2 * items;
      block[lower] = is_descending ? max(a, b) : min(a, b);
      block[upper] = is_descending ? min(a, b) : max(a, b);
    }
  }
  __syncthreads();
  keys[first + local_id] = block[local_id];
  keys[first + local_id + items] = block[local_id + items];
}
