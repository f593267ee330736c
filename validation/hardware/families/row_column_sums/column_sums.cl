// Sums of the columns of a matrix of n x n floats, one column per work-item: lanes read a run.
__kernel void column_sums(__global const float* A, __global float* sums, uint n) {
  const uint column = get_global_id(0);
  if (column >= n) return;
  float sum = 0.0f;
  for (uint i = 0; i < n; ++i) sum += A[i * n + column];
  sums[column] = sum;
}
