// Matrix multiplication with a 4 x 4 block of C per thread: mm_regtile.cl in CUDA.
#include <cuda_runtime.h>

template <int BLOCK>
__device__ void load(float (&values)[BLOCK], const float* from, unsigned int stride) {
  for (int i = 0; i < BLOCK; ++i) values[i] = from[i * stride];
}

extern "C" __global__ void mm_regtile(const float* A, const float* B, float* C, unsigned int width) {
  constexpr int BLOCK = 4;
  const unsigned int x = (blockIdx.x * blockDim.x + threadIdx.x) * BLOCK;
  const unsigned int y = (blockIdx.y * blockDim.y + threadIdx.y) * BLOCK;
  float sum[BLOCK][BLOCK] = {};
  float a[BLOCK], b[BLOCK];
  for (unsigned int k = 0; k < width; ++k) {
    load(a, A + y * width + k, width);
    load(b, B + k * width + x, 1);
    for (int i = 0; i < BLOCK; ++i)
      for (int j = 0; j < BLOCK; ++j) sum[i][j] += a[i] * b[j];
  }
  for (int i = 0; i < BLOCK; ++i)
    for (int j = 0; j < BLOCK; ++j) C[(y + i) * width + x + j] = sum[i][j];
}
