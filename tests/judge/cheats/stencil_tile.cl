// Cheat: neighbours in other tiles count as nothing.
// Expected: wrong-value
kernel void stencil(global const float* in, global float* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  const int tx = get_local_id(0), ty = get_local_id(1);
  float sum = in[i];
  if (tx > 0) sum += in[i - 1];
  if (tx < 15) sum += in[i + 1];
  if (ty > 0) sum += in[i - width];
  if (ty < 3) sum += in[i + width];
  out[i] = 0.2f * sum;
}
