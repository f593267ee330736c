// The softmax of each row; a work-group for each, of which the first work-item computes.
kernel void softmax(global const float* in, global float* out, int n) {
  if (get_local_id(0) != 0) return;
  const int first = get_group_id(0) * n;
  float most = -INFINITY, sum = 0;
  for (int k = 0; k < n; ++k) most = fmax(most, in[first + k]);
  for (int k = 0; k < n; ++k) sum += exp(in[first + k] - most);
  for (int k = 0; k < n; ++k) out[first + k] = exp(in[first + k] - most) / sum;
}
