// Predecessor search in a sorted array in global memory: search_sorted.cl in CUDA.
#include <cuda_runtime.h>

__global__ void search_sorted(const unsigned int* key, const unsigned int* query, unsigned int* found,
                              unsigned int keys) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int q = query[i];
  unsigned int count = 0;
  for (unsigned int step = keys / 2; step > 0; step /= 2)
    if (key[count + step - 1] <= q) count += step;
  if (key[count] <= q) ++count;
  found[i] = count;
}
