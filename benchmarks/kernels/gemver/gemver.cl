// A += u1 v1^T + u2 v2^T and x = z + beta A^T y in one pass over A: a work-item walks a column.
__kernel void gemver(__global float* A, __global const float* u1, __global const float* v1, __global const float* u2,
                     __global const float* v2, __global const float* y, __global const float* z, __global float* x,
                     float beta, uint n) {
  const uint j = get_global_id(0);
  const float first = v1[j];
  const float second = v2[j];
  float sum = 0.0f;
  for (uint i = 0; i < n; ++i) {
    const float element = A[i * n + j] + u1[i] * first + u2[i] * second;
    A[i * n + j] = element;
    sum += element * y[i];
  }
  x[j] = z[j] + beta * sum;
}
