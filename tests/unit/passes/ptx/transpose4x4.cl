// Every work-item moves a block of 4x4 through local memory.
kernel void transpose4x4(global const float4* in, global float4* out, int pitch) {
  local float tile[64][64];
  const int x = get_local_id(0), y = get_local_id(1);
  const int bx = get_group_id(0) * 16, by = get_group_id(1) * 64;
  for (int r = 0; r < 4; ++r) {
    const float4 v = in[(by + 4 * y + r) * pitch + bx + x];
    tile[4 * x][4 * y + r] = v.x;
    tile[4 * x + 1][4 * y + r] = v.y;
    tile[4 * x + 2][4 * y + r] = v.z;
    tile[4 * x + 3][4 * y + r] = v.w;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 4; ++r) {
    local const float* t = tile[4 * y + r];
    out[(by + 4 * y + r) * pitch + bx + x] = (float4)(t[4 * x], t[4 * x + 1], t[4 * x + 2], t[4 * x + 3]);
  }
}
