// Each row with mean 0 and variance 1; a work-item for each.
kernel void rows(global const float* in, global float* out, uint n) {
  const uint first = get_global_id(0) * n;
  float sum = 0, squares = 0;
  for (uint k = 0; k < n; ++k) sum += in[first + k];
  const float mean = sum / n;
  for (uint k = 0; k < n; ++k) squares += (in[first + k] - mean) * (in[first + k] - mean);
  const float scale = 1 / sqrt(squares / n + 1e-5f);
  for (uint k = 0; k < n; ++k) out[first + k] = (in[first + k] - mean) * scale;
}
