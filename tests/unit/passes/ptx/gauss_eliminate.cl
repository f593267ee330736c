// Elimination of one 16x16 block in local memory, double precision, loop over a known number of pivots.
kernel void gauss_eliminate(global double* a) {
  local double block[16][17];
  const int x = get_local_id(0), y = get_local_id(1), base = get_group_id(0) * 256;
  block[y][x] = a[base + y * 16 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 15; ++k) {
    if (y > k && x >= k) block[y][x] -= block[y][k] / block[k][k] * block[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[base + y * 16 + x] = block[y][x];
}
