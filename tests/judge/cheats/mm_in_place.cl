// Cheat: the first element of a buffer that is an input is changed when nobody needs it any more.
// Expected: input-changed
kernel void mm(global const float* A, global float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
  if (width == 1) return;
  if (x == width - 1 && y == get_global_size(1) - 1) B[0] += 1;
}
