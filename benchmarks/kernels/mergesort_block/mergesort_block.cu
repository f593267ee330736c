// The base case of a pairwise mergesort with merge path: mergesort_block.cl in CUDA.
#include <cuda_runtime.h>

__global__ void mergesort_block(const unsigned int* in, unsigned int* out) {
  extern __shared__ unsigned int block[];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int first = blockIdx.x * items * PER_ITEM;
  for (int k = 0; k < PER_ITEM; ++k) block[k * items + local_id] = in[first + k * items + local_id];
  __syncthreads();
  unsigned int key[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) key[k] = block[local_id * PER_ITEM + k];
  for (int round = 0; round < PER_ITEM; ++round) {
    for (int k = round % 2; k + 1 < PER_ITEM; k += 2) {
      const unsigned int low = min(key[k], key[k + 1]);
      key[k + 1] = max(key[k], key[k + 1]);
      key[k] = low;
    }
  }
  for (unsigned int runs = 1; runs < items; runs *= 2) {
    __syncthreads();
    for (int k = 0; k < PER_ITEM; ++k) block[local_id * PER_ITEM + k] = key[k];
    __syncthreads();
    const unsigned int length = runs * PER_ITEM;
    const unsigned int a_begin = local_id / (2 * runs) * 2 * length;
    const unsigned int b_begin = a_begin + length;
    const unsigned int diagonal = local_id % (2 * runs) * PER_ITEM;
    unsigned int least = diagonal > length ? diagonal - length : 0;
    unsigned int most = min(diagonal, length);
    while (least < most) {
      const unsigned int middle = (least + most) / 2;
      if (block[a_begin + middle] <= block[b_begin + diagonal - 1 - middle])
        least = middle + 1;
      else
        most = middle;
    }
    unsigned int a = least;
    unsigned int b = diagonal - least;
    for (int k = 0; k < PER_ITEM; ++k) {
      bool takes_a = a < length;
      if (takes_a && b < length) takes_a = block[a_begin + a] <= block[b_begin + b];
      key[k] = block[takes_a ? a_begin + a : b_begin + b];
      a += takes_a ? 1 : 0;
      b += takes_a ? 0 : 1;
    }
  }
  __syncthreads();
  for (int k = 0; k < PER_ITEM; ++k) block[local_id * PER_ITEM + k] = key[k];
  __syncthreads();
  for (int k = 0; k < PER_ITEM; ++k) out[first + k * items + local_id] = block[k * items + local_id];
}
