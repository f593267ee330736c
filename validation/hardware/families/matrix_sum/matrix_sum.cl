// C = A + B of n x n floats. ROW_FROM_X 1: the row comes from get_global_id(0), so lanes have a stride of n elements;
// ROW_FROM_X 0: the column does.
__kernel void matrix_sum(__global const float* A, __global const float* B, __global float* C, uint n) {
  const uint row = get_global_id(ROW_FROM_X ? 0 : 1);
  const uint column = get_global_id(ROW_FROM_X ? 1 : 0);
  C[row * n + column] = A[row * n + column] + B[row * n + column];
}
