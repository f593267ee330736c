// Naive matrix multiplication: work-item (x, y) computes one element of C from a row of A and a column of B.
__kernel void mm(__global const float* A, __global const float* B, __global float* C, uint width, uint height) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width + x];
  C[y * width + x] = sum;
}
