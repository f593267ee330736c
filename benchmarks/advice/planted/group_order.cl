// Work-groups of a column read the same panel, and those that run together are of different columns.
__kernel void group_order(__global const float4* panels, __global const float* weights, __global float* out) {
  const uint x = get_local_id(0);
#ifdef REPAIRED
  // Group n is the n-th of tiles of 4 by 4, tile after tile along a row.
  const uint n = get_group_id(1) * get_num_groups(0) + get_group_id(0);
  const uint tile = n / 16, tiles = get_num_groups(0) / 4, inside = n % 16;
  const uint gx = tile % tiles * 4 + inside % 4, gy = tile / tiles * 4 + inside / 4;
#else
  const uint gx = get_group_id(0), gy = get_group_id(1);
#endif
  float sum = 0.0f;
  for (uint k = 0; k < 14; ++k) {
    const float4 part = panels[(gx * 14 + k) * 32 + x];
    sum += (part.x + part.y) * (part.z + part.w) * weights[gy];
  }
  out[(gy * get_num_groups(0) + gx) * 32 + x] = sum;
}
