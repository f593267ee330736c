// A tile with a padded row, four rows per thread.
__global__ void cu_transpose_padded(const double *in, double *out, int width, int height) {
  __shared__ double tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(ty + row) * height + tx] = tile[threadIdx.x][threadIdx.y + row];
}
