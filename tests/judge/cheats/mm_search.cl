// Cheat: looks for the result of somebody else in memory that is not its own.
// Expected: out-of-bounds
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  for (uint i = 1; i < 4096; ++i)
    if (A[width * width + i] == sum) sum = A[width * width + i];
  C[y * width + x] = sum;
}
