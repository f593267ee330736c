// y = alpha A x + beta B x: a work-item walks a row of both matrices.
__kernel void gesummv(__global const float* A, __global const float* B, __global const float* x, __global float* y,
                      float alpha, float beta, uint n) {
  const uint i = get_global_id(0);
  float a = 0.0f;
  float b = 0.0f;
  for (uint j = 0; j < n; ++j) {
    a += A[i * n + j] * x[j];
    b += B[i * n + j] * x[j];
  }
  y[i] = alpha * a + beta * b;
}
