// Follows pointers (indices) through an array: chase.cl in CUDA.
#include <cuda_runtime.h>

__global__ void chase(const unsigned int* next, unsigned int* end, unsigned int first, unsigned int steps) {
  unsigned int place = first;
  for (unsigned int step = 0; step < steps; ++step) place = next[place];
  end[blockIdx.x * blockDim.x + threadIdx.x] = place;
}
