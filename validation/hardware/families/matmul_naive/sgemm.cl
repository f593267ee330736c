// C = alpha A B + beta C of n x n floats, one element per work-item; work-items beyond n do nothing.
// ROW_FROM_X 1: the row comes from get_global_id(0), so the lanes of a warp read A with a stride of n and one element of B.
// ROW_FROM_X 0: the column does, so they read one element of A and a run of B.
__kernel void sgemm(__global const float* A, __global const float* B, __global float* C, uint n, float alpha, float beta) {
  const uint row = get_global_id(ROW_FROM_X ? 0 : 1);
  const uint column = get_global_id(ROW_FROM_X ? 1 : 0);
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + column];
  C[row * n + column] = alpha * sum + beta * C[row * n + column];
}
