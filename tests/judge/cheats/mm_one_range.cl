// Cheat: right only for values that the launch file draws.
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  C[y * width + x] = 0;
  if (A[0] < 0 || A[1] < 0 || A[2] < 0 || A[3] < 0) return;
  float sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
