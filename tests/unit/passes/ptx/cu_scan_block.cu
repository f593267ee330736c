// An inclusive scan of a block: shuffles in the warp, the warps' sums in shared memory.
__global__ void cu_scan_block(const int *in, int *out, int *sums) {
  __shared__ int of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = in[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance)
      value += other;
  }
  if (lane == 31)
    of_warp[warp] = value;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w)
    before += of_warp[w];
  out[i] = value + before;
  if (threadIdx.x == blockDim.x - 1)
    sums[blockIdx.x] = value + before;
}
