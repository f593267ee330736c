// Work-efficient exclusive scan of 2 elements per work-item in local memory.
kernel void prefix_scan(global const int* in, global int* out, int n) {
  local int tile[256];
  const int l = get_local_id(0);
  tile[2 * l] = in[2 * l];
  tile[2 * l + 1] = in[2 * l + 1];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) tile[offset * (2 * l + 2) - 1] += tile[offset * (2 * l + 1) - 1];
    offset *= 2;
  }
  if (l == 0) tile[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      const int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      const int t = tile[a];
      tile[a] = tile[b];
      tile[b] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * l] = tile[2 * l];
  out[2 * l + 1] = tile[2 * l + 1];
}
