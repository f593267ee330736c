// Softmax of rows of `columns` floats, one row per work-item: lanes have a stride of a row. Three passes: the maximum; the
// exponentials, stored to y, and their sum; the quotients.
__kernel void softmax_naive(__global const float* x, __global float* y, uint rows, uint columns) {
  const uint row = get_global_id(0);
  if (row >= rows) return;
  __global const float* in = x + (size_t)row * columns;
  __global float* out = y + (size_t)row * columns;
  float largest = -INFINITY;
  for (uint i = 0; i < columns; ++i) largest = fmax(largest, in[i]);
  float sum = 0.0f;
  for (uint i = 0; i < columns; ++i) {
    const float value = exp(in[i] - largest);
    out[i] = value;
    sum += value;
  }
  for (uint i = 0; i < columns; ++i) out[i] /= sum;
}
