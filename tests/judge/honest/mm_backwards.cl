// Honest: terms from the last to the first.
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = width; k-- > 0;) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
