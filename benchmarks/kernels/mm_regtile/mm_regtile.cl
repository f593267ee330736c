// Matrix multiplication with a 4 x 4 block of C per work-item. The private arrays have constant indices once the loops
// over them are unrolled, and then live in registers.
#define BLOCK 4

__kernel void mm_regtile(__global const float* A, __global const float* B, __global float* C, uint width) {
  const uint x = get_global_id(0) * BLOCK;
  const uint y = get_global_id(1) * BLOCK;
  float sum[BLOCK][BLOCK];
  float a[BLOCK], b[BLOCK];
  for (int i = 0; i < BLOCK; ++i)
    for (int j = 0; j < BLOCK; ++j) sum[i][j] = 0.0f;
  for (uint k = 0; k < width; ++k) {
    for (int i = 0; i < BLOCK; ++i) a[i] = A[(y + i) * width + k];
    for (int j = 0; j < BLOCK; ++j) b[j] = B[k * width + x + j];
    for (int i = 0; i < BLOCK; ++i)
      for (int j = 0; j < BLOCK; ++j) sum[i][j] += a[i] * b[j];
  }
  for (int i = 0; i < BLOCK; ++i)
    for (int j = 0; j < BLOCK; ++j) C[(y + i) * width + x + j] = sum[i][j];
}
