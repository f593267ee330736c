// Planes go through registers, and each is shared in a tile with its borders.
kernel void star(global const float* in, global float* out, int width, int height, int depth) {
  local float tile[10][10];
  const int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0) + 1, j = get_local_id(1) + 1,
            plane = width * height;
  const int here = y * width + x;
  float below = 0, own = in[here];
  for (int z = 0; z < depth; ++z) {
    const float above = z < depth - 1 ? in[(z + 1) * plane + here] : 0;
    const int at = z * plane + here;
    tile[j][i] = own;
    if (i == 1) tile[j][0] = x > 0 ? in[at - 1] : 0;
    if (i == 8) tile[j][9] = x < width - 1 ? in[at + 1] : 0;
    if (j == 1) tile[0][i] = y > 0 ? in[at - width] : 0;
    if (j == 8) tile[9][i] = y < height - 1 ? in[at + width] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i] + below + above - 6 * own;
    barrier(CLK_LOCAL_MEM_FENCE);
    below = own;
    own = above;
  }
}
