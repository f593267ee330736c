// Cheat: one term too many, which is 0 because it lies behind the end of B.
// Expected: out-of-bounds
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k <= width; ++k) sum += A[y * width + k % width] * B[k * width + x];
  C[y * width + x] = sum;
}
