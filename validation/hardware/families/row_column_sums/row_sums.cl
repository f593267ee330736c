// Sums of the rows of a matrix of n x n floats, one row per work-item: lanes have a stride of n elements.
__kernel void row_sums(__global const float* A, __global float* sums, uint n) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  float sum = 0.0f;
  for (uint i = 0; i < n; ++i) sum += A[row * n + i];
  sums[row] = sum;
}
