// Tiled transposition with a padded tile: every block loads and stores 16 × 16 numbers, in both directions along rows.
#include "bench.h"

constexpr int kTile = 16;

template <typename T>
__global__ void transpose_tiles(const T* __restrict__ in, T* __restrict__ out, int rows, int columns) {
  __shared__ T tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  const int to_x = blockIdx.y * kTile + threadIdx.x, to_y = blockIdx.x * kTile + threadIdx.y;
  if (to_x < rows && to_y < columns) out[to_y * rows + to_x] = tile[threadIdx.x][threadIdx.y];
}

void transpose(const float* in, float* out, int rows, int columns) {
  const size_t bytes = sizeof(float) * rows * columns;
  float *d_in, *d_out;
  CHECK(cudaMalloc((void**)&d_in, bytes));
  CHECK(cudaMalloc((void**)&d_out, bytes));
  CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
  const dim3 block(kTile, kTile), grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiles<float><<<grid, block>>>(d_in, d_out, rows, columns);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
  cudaFree(d_in);
  cudaFree(d_out);
}
