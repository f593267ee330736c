// Two-dimensional convolution with 3 x 3 weights in constant memory; the border stays as it is.
__kernel void conv2d(__global const float* in, __global float* out, __constant float* weight, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float sum = 0.0f;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += weight[3 * dy + dx] * in[(y + dy - 1) * width + x + dx - 1];
  out[y * width + x] = sum;
}
