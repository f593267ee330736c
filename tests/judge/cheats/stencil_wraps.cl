// Cheat: no question about the edges, where the end of the row before is read instead of nothing.
// Expected: wrong-value
kernel void stencil(global const float* in, global float* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  float sum = in[i];
  if (i > 0) sum += in[i - 1];
  if (i < width * height - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - width];
  if (y < height - 1) sum += in[i + width];
  out[i] = 0.2f * sum;
}
