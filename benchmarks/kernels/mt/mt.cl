// Matrix transposition: neighbouring work-items read neighbours in a row and write neighbours in a column.
__kernel void mt(__global float* odata, __global const float* idata, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  odata[x * height + y] = idata[y * width + x];
}
