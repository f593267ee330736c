// One Jacobi step on a plane with the tile and its border in local memory. TILE x TILE work-items, (TILE + 2)^2 cells.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void stencil2d(__global const float* in,
                                                                             __global float* out, int width) {
  __local float cell[TILE + 2][TILE + 2];
  const int lx = get_local_id(0) + 1;
  const int ly = get_local_id(1) + 1;
  const int x = get_global_id(0) + 1;
  const int y = get_global_id(1) + 1;
  cell[ly][lx] = in[y * width + x];
  if (lx == 1) cell[ly][0] = in[y * width + x - 1];
  if (lx == TILE) cell[ly][TILE + 1] = in[y * width + x + 1];
  if (ly == 1) cell[0][lx] = in[(y - 1) * width + x];
  if (ly == TILE) cell[TILE + 1][lx] = in[(y + 1) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * width + x] = 0.25f * (cell[ly][lx - 1] + cell[ly][lx + 1] + cell[ly - 1][lx] + cell[ly + 1][lx]);
}
