// A warp per row of a sparse matrix, read through the read-only path.
__global__ void cu_csr_warp(const int *__restrict__ row, const int *__restrict__ column, const float *__restrict__ value,
                            const float *__restrict__ x, float *y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= rows)
    return;
  float sum = 0;
  for (int e = row[r] + lane; e < row[r + 1]; e += 32)
    sum += __ldg(value + e) * __ldg(x + column[e]);
  for (int distance = 16; distance > 0; distance >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0)
    y[r] = sum;
}
