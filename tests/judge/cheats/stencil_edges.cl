// Cheat: the edges are left out.
// Expected: not-written
kernel void stencil(global const float* in, global float* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  if (x == 0 || x == width - 1 || y == 0 || y == height - 1) return;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
