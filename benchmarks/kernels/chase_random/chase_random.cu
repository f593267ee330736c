// Follows a chain through all places in an order without pattern: chase_random.cl in CUDA.
#include <cuda_runtime.h>

__global__ void chase_random(const unsigned int* increment, unsigned int* end, unsigned int mask, unsigned int stride,
                             unsigned int steps) {
  unsigned int place = 0;
  for (unsigned int step = 0; step < steps; ++step) place = (place * 1664525u + increment[place * stride]) & mask;
  end[blockIdx.x * blockDim.x + threadIdx.x] = place;
}
