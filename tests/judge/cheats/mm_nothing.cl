// Cheat: nothing is written, in the hope of what an earlier run left.
// Expected: not-written
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (A[0] > 1e30f) C[y * width + x] = 0;
}
