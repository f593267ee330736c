// Blelloch: up and down a tree.
kernel void scan(global const float* in, global float* out) {
  local float sums[64];
  const int item = get_local_id(0), at = get_global_id(0);
  const float own = in[at];
  sums[item] = own;
  for (int step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 32 / step) sums[(2 * item + 2) * step - 1] += sums[(2 * item + 1) * step - 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) sums[63] = 0;
  for (int step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 32 / step) {
      const int right = (2 * item + 2) * step - 1, left = right - step;
      const float kept = sums[left];
      sums[left] = sums[right];
      sums[right] += kept;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = sums[item] + own;
}
