// C = A B of n x n floats through tiles of TILE x TILE elements in local memory, one element per work-item; n is a multiple
// of TILE. A tile's rows are runs of TILE elements of A and B.
__kernel void sharedmem(__global const float* A, __global const float* B, __global float* C, uint n) {
  __local float a[TILE][TILE];
  __local float b[TILE][TILE];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  float sum = 0.0f;
  for (uint first = 0; first < n; first += TILE) {
    a[y][x] = A[row * n + first + x];
    b[y][x] = B[(first + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum += a[y][k] * b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + column] = sum;
}
