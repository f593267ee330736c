// Histogram in two steps, in shared and then in global memory: histogram.cl in CUDA.
#include <cuda_runtime.h>

__global__ void histogram(const unsigned int* values, unsigned int* bins, unsigned int per_item) {
  __shared__ unsigned int mine[BINS];
  const unsigned int items = gridDim.x * blockDim.x;
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) mine[bin] = 0;
  __syncthreads();
  for (unsigned int k = 0; k < per_item; ++k) atomicAdd(&mine[values[k * items + i] % BINS], 1u);
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) atomicAdd(&bins[bin], mine[bin]);
}
