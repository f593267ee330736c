// Layer normalisation of rows of `columns` floats, one row per work-item: lanes have a stride of a row in x and y, and read
// the same elements of gamma and beta. Three passes over x: mean, variance, result.
__kernel void layernorm_naive(__global const float* x, __global const float* gamma, __global const float* beta,
                              __global float* y, uint rows, uint columns) {
  const uint row = get_global_id(0);
  if (row >= rows) return;
  __global const float* in = x + (size_t)row * columns;
  __global float* out = y + (size_t)row * columns;
  float sum = 0.0f;
  for (uint i = 0; i < columns; ++i) sum += in[i];
  const float mean = sum / columns;
  float squares = 0.0f;
  for (uint i = 0; i < columns; ++i) squares += (in[i] - mean) * (in[i] - mean);
  const float scale = rsqrt(squares / columns + 1e-5f);
  for (uint i = 0; i < columns; ++i) out[i] = (in[i] - mean) * scale * gamma[i] + beta[i];
}
