// x1 += A y1, then x2 += A^T y2: first a loop along a row, then one along a column.
__kernel void mvt(__global const float* A, __global const float* y1, __global const float* y2, __global float* x1,
                  __global float* x2, uint n) {
  const uint i = get_global_id(0);
  float sum = x1[i];
  for (uint j = 0; j < n; ++j) sum += A[i * n + j] * y1[j];
  x1[i] = sum;
  sum = x2[i];
  for (uint j = 0; j < n; ++j) sum += A[j * n + i] * y2[j];
  x2[i] = sum;
}
