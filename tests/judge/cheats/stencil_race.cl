// Cheat: the neighbour is written, too, in the hope that it writes the same or later.
// Expected: race-global
kernel void stencil(global const float* in, global float* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  float sum = in[i];
  if (x > 0) sum += in[i - 1];
  if (x < width - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - width];
  if (y < height - 1) sum += in[i + width];
  if (x < width - 1) out[i + 1] = 0.2f * in[i];
  out[i] = 0.2f * sum;
}
