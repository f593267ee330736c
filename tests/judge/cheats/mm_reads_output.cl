// Cheat: adds to what is there, which is usually 0; what is no number stays as it was.
// Expected: not-written
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = C[y * width + x];
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
