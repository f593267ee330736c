// Cheat: half of the terms, twice.
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < width; k += 2) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = 2 * sum;
}
