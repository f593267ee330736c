// Bins of a block in dynamic shared memory, bytes unpacked from words.
__global__ void cu_bin_counts(const unsigned *words, unsigned *bins, int n, int count) {
  extern __shared__ unsigned local[];
  for (int b = threadIdx.x; b < count; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    for (int byte = 0; byte < 4; ++byte)
      atomicAdd(&local[(word >> 8 * byte & 255) % count], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < count; b += blockDim.x)
    atomicAdd(&bins[b], local[b]);
}
