// Cheat: one row of work, copied to all rows of a work-group.
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  const uint row = y - get_local_id(1);
  for (uint k = 0; k < width; ++k) sum += A[row * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
