// Transposition through a padded tile, work-groups renumbered along diagonals: groups that run at the same time write to
// different columns of tiles. Ruetsch, Micikevicius: Optimizing Matrix Transpose in CUDA, NVIDIA 2009.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void mt_diagonal(__global float* odata,
                                                                               __global const float* idata, int width,
                                                                               int height) {
  __local float tile[TILE][TILE + 1];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int tiles_x = get_num_groups(0);
  const int tiles_y = get_num_groups(1);
  const int number = get_group_id(0) + tiles_x * get_group_id(1);
  const int row = number % tiles_y;
  const int column = (number / tiles_y + row) % tiles_x;
  const int left = column * TILE;
  const int top = row * TILE;
  tile[ly][lx] = idata[(top + ly) * width + left + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  odata[(left + ly) * height + top + lx] = tile[lx][ly];
}
