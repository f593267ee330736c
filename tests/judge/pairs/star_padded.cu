// Points outside are read as others, and not added.
__device__ float at_or_zero(const float* in, int at, int step, bool is_inside) {
  return is_inside ? in[at + step] : 0;
}
__global__ void star(const float* in, float* out, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            plane = width * height;
  for (int z = 0; z < depth; ++z) {
    const int at = z * plane + y * width + x;
    const float row = at_or_zero(in, at, -1, x > 0) + at_or_zero(in, at, 1, x + 1 < width);
    const float column = at_or_zero(in, at, -width, y > 0) + at_or_zero(in, at, width, y + 1 < height);
    const float pile = at_or_zero(in, at, -plane, z > 0) + at_or_zero(in, at, plane, z + 1 < depth);
    out[at] = row + column + pile - 6 * in[at];
  }
}
