// Cheat: never ends.
// Expected: no-end
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  while (A[0] == A[0]) {
    if (A[x] > 1e30f) C[0] = 1;
  }
}
