// Cheat: inputs as constants, which no cache is simulated for.
// Expected: not-shown-faster
kernel void mm(constant float* A, constant float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
