// 2-D convolution: nine neighbours, filter in constant memory.
kernel void convolution3x3(global const float* in, global float* out, constant float* filter, int width) {
  const int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * width + x + dx] * filter[(dy + 1) * 3 + dx + 1];
  out[y * width + x] = sum;
}
