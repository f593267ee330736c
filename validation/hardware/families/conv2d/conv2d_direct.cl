// Direct convolution 3 x 3 with a border of zeros, as conv2d_tile computes it, without local memory: per channel a work-item
// reads the nine weights into registers, then the pixels around each of its PIXELS pixels, which lie 16 columns apart.
float pixel(__global const float* plane, int row, int column, int size) {
  return row >= 0 && row < size && column >= 0 && column < size ? plane[row * size + column] : 0.0f;
}

__kernel void conv2d_direct(__global const float* in, __global const float* weights, __global float* out, int channels,
                            int filters, int size) {
  const int first = (int)get_group_id(0) * 16 * PIXELS + (int)get_local_id(0);
  const int row = get_global_id(1);
  const int plane = get_global_id(2);
  const int filter = plane % filters;
  const int image = plane / filters;
  if (row >= size || first >= size) return;
  float sum[PIXELS] = {0.0f};
  for (int channel = 0; channel < channels; ++channel) {
    __global const float* from = in + (size_t)(image * channels + channel) * size * size;
    __global const float* weight = weights + (filter * channels + channel) * 9;
    float factor[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) factor[k] = weight[k];
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) {
#pragma unroll
      for (int k = 0; k < 9; ++k) sum[p] += pixel(from, row + k / 3 - 1, first + 16 * p + k % 3 - 1, size) * factor[k];
    }
  }
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    if (first + 16 * p < size) out[((size_t)plane * size + row) * size + first + 16 * p] = sum[p];
  }
}
