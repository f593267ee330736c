// Horizontal box blur of an 8-bit image with four channels.
kernel void rgba_blur(global const uchar4* in, global uchar4* out, int width) {
  const int x = get_global_id(0) + 2, y = get_global_id(1);
  uint4 sum = 0;
  for (int d = -2; d <= 2; ++d) sum += convert_uint4(in[y * width + x + d]);
  out[y * width + x] = convert_uchar4(sum / 5);
}
