// Shared-memory histogram: atomics in shared memory, then one global atomic per bin and block.
#include "bench.h"

static __global__ void count_values(const unsigned char* values, int count, unsigned* bins) {
  __shared__ unsigned local[BINS];
  if (threadIdx.x < BINS) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[values[i] % BINS], 1u);
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void histogram(const unsigned char* values, int count, unsigned* bins) {
  unsigned char* d_values;
  unsigned* d_bins;
  CHECK(cudaMalloc(&d_values, count));
  CHECK(cudaMalloc(&d_bins, BINS * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_values, values, count, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_bins, 0, BINS * sizeof(unsigned)));
  count_values<<<8, 64>>>(d_values, count, d_bins);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(bins, d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_bins));
}
