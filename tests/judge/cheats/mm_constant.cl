// Cheat: what the elements are on average.
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  C[y * width + x] = 0.25f * width;
}
