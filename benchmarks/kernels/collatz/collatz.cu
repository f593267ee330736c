// Follows the Collatz sequence of each start value and adds up a weight per step: collatz.cl in CUDA.
#include <cuda_runtime.h>

__global__ void collatz(const unsigned int* start, const unsigned int* weight, unsigned int* sum,
                        unsigned int weights, unsigned int limit) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int n = start[i];
  unsigned int total = 0;
  while (n > 1) {
    total += weight[n % weights];
    if (total > limit) break;
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  }
  sum[i] = total;
}
