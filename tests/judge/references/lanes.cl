// The sum of each row; a work-group for each, of which one work-item computes.
kernel void lanes(global const float* in, global float* out, uint n) {
  if (get_local_id(0) != 0) return;
  float sum = 0;
  for (uint k = 0; k < n; ++k) sum += in[get_group_id(0) * n + k];
  out[get_group_id(0)] = sum;
}
