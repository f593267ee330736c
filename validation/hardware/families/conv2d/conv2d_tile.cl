// Direct convolution 3 x 3 with a border of zeros: images of `channels` planes, `filters` planes out, all size x size floats.
// A work-group computes 16 x 16 pixels of one plane; per channel it copies 18 x 18 pixels of the input into local memory and
// reads the nine weights from global memory. get_global_id(2) is image * filters + filter.
// FILL_2D 0: the tile is copied by the work-items' linear number; FILL_2D 1: by rows and columns.
float pixel(__global const float* plane, int row, int column, int size) {
  return row >= 0 && row < size && column >= 0 && column < size ? plane[row * size + column] : 0.0f;
}

__kernel void conv2d_tile(__global const float* in, __global const float* weights, __global float* out, int channels,
                          int filters, int size) {
  __local float tile[18 * 18];
  const int x = get_local_id(0);
  const int y = get_local_id(1);
  const int left = (int)get_group_id(0) * 16 - 1;
  const int top = (int)get_group_id(1) * 16 - 1;
  const int plane = get_global_id(2);
  const int filter = plane % filters;
  const int image = plane / filters;
  float sum = 0.0f;
  for (int channel = 0; channel < channels; ++channel) {
    __global const float* from = in + (size_t)(image * channels + channel) * size * size;
    __global const float* weight = weights + (filter * channels + channel) * 9;
#if FILL_2D
    for (int row = y; row < 18; row += 16) {
      for (int column = x; column < 18; column += 16)
        tile[row * 18 + column] = pixel(from, top + row, left + column, size);
    }
#else
    for (int at = y * 16 + x; at < 18 * 18; at += 256)
      tile[at] = pixel(from, top + at / 18, left + at % 18, size);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int row = 0; row < 3; ++row) {
#pragma unroll
      for (int column = 0; column < 3; ++column) sum += tile[(y + row) * 18 + x + column] * weight[row * 3 + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const int row = get_global_id(1);
  const int column = get_global_id(0);
  if (row < size && column < size) out[((size_t)plane * size + row) * size + column] = sum;
}
