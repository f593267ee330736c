// C = A B, A of `rows` x `inner` elements, one element of C per work-item: the kernel of titanx_multiplication.csv.
__kernel void multiply(__global const float *A, __global const float *B, __global float *C, uint inner, uint columns) {
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < inner; ++k) sum += A[row * inner + k] * B[k * columns + column];
  C[row * columns + column] = sum;
}
