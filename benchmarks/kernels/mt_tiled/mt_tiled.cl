// Matrix transposition through a tile in local memory: rows are read and rows are written, the tile is read by columns.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void mt_tiled(__global float* odata,
                                                                            __global const float* idata, int width,
                                                                            int height) {
  __local float tile[TILE][TILE];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int left = get_group_id(0) * TILE;
  const int top = get_group_id(1) * TILE;
  tile[ly][lx] = idata[(top + ly) * width + left + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  odata[(left + ly) * height + top + lx] = tile[lx][ly];
}
