// Inclusive sums within each work-group of 64.
kernel void scan(global const float* in, global float* out) {
  const int item = get_local_id(0), first = get_group_id(0) * 64;
  float sum = 0;
  for (int k = 0; k <= item; ++k) sum += in[first + k];
  out[first + item] = sum;
}
