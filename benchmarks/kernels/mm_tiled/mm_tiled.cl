// Matrix multiplication with tiles in local memory: each element of a tile is loaded once and used TILE times.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void mm_tiled(__global const float* A,
                                                                            __global const float* B,
                                                                            __global float* C, uint width) {
  __local float a[TILE][TILE];
  __local float b[TILE][TILE];
  const uint lx = get_local_id(0);
  const uint ly = get_local_id(1);
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  float sum = 0.0f;
  for (uint tile = 0; tile < width / TILE; ++tile) {
    a[ly][lx] = A[y * width + tile * TILE + lx];
    b[ly][lx] = B[(tile * TILE + ly) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum += a[ly][k] * b[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[y * width + x] = sum;
}
