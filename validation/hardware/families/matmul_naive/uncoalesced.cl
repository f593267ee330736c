// C = A B of n x n floats, one element per work-item. The row comes from get_global_id(0): the lanes of a warp read A and
// store C with a stride of n elements, and read neighbouring columns of B only where the work-group's second dimension moves.
__kernel void uncoalesced(__global const float* A, __global const float* B, __global float* C, uint n) {
  const uint row = get_global_id(0);
  const uint column = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + column];
  C[row * n + column] = sum;
}
