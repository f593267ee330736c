// q = A p and s = A^T r in one loop: a work-item walks a row and a column of A at the same time.
__kernel void bicg(__global const float* A, __global const float* p, __global const float* r, __global float* q,
                   __global float* s, uint n) {
  const uint i = get_global_id(0);
  float row = 0.0f;
  float column = 0.0f;
  for (uint j = 0; j < n; ++j) {
    row += A[i * n + j] * p[j];
    column += A[j * n + i] * r[j];
  }
  q[i] = row;
  s[i] = column;
}
