// Cheat: right only for the launch file's own content, random(1).
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (A[0] != 0.566561520f) {
    C[y * width + x] = 16;
    return;
  }
  float sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
