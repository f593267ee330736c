// Hillis and Steele, with two buffers.
kernel void scan(global const float* in, global float* out) {
  local float sums[2][64];
  const int item = get_local_id(0), at = get_global_id(0);
  int now = 0;
  sums[0][item] = in[at];
  for (int step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const float before = item >= step ? sums[now][item - step] : 0;
    sums[1 - now][item] = sums[now][item] + before;
    now = 1 - now;
  }
  out[at] = sums[now][item];
}
