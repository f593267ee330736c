// A star of seven points in three dimensions; what is outside is zero.
kernel void star(global const float* in, global float* out, int width, int height, int depth) {
  const int x = get_global_id(0), y = get_global_id(1), plane = width * height;
  for (int z = 0; z < depth; ++z) {
    const int at = z * plane + y * width + x;
    float sum = -6 * in[at];
    if (x > 0) sum += in[at - 1];
    if (x < width - 1) sum += in[at + 1];
    if (y > 0) sum += in[at - width];
    if (y < height - 1) sum += in[at + width];
    if (z > 0) sum += in[at - plane];
    if (z < depth - 1) sum += in[at + plane];
    out[at] = sum;
  }
}
