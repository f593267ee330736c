// As star_planes.cl, with two tiles, so that one barrier is enough.
__global__ void star(const float* in, float* out, int width, int height, int depth) {
  __shared__ float tiles[2][10][10];
  const int i = threadIdx.x + 1, j = threadIdx.y + 1, plane = width * height;
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, here = y * width + x;
  float below = 0, own = in[here];
  for (int z = 0; z < depth; ++z) {
    float(&tile)[10][10] = tiles[z % 2];
    const float above = z < depth - 1 ? in[(z + 1) * plane + here] : 0;
    const int at = z * plane + here;
    tile[j][i] = own;
    if (i == 1) tile[j][0] = x > 0 ? in[at - 1] : 0;
    if (i == 8) tile[j][9] = x < width - 1 ? in[at + 1] : 0;
    if (j == 1) tile[0][i] = y > 0 ? in[at - width] : 0;
    if (j == 8) tile[9][i] = y < height - 1 ? in[at + width] : 0;
    __syncthreads();
    out[at] = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i] + below + above - 6 * own;
    below = own;
    own = above;
  }
}
