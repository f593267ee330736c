// C = alpha A A^T + beta C: an element is the product of two rows of A.
__kernel void syrk(__global const float* A, __global float* C, float alpha, float beta, uint n, uint m) {
  const uint j = get_global_id(0);
  const uint i = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < m; ++k) sum += A[i * m + k] * A[j * m + k];
  C[i * n + j] = beta * C[i * n + j] + alpha * sum;
}
