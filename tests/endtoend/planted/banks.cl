// The columns of a tile without padding: all lanes of a warp want the same bank.
__kernel void columns(__global const float* in, __global float* out) {
  __local float tile[32][32];
  const size_t x = get_local_id(0), y = get_local_id(1), at = get_group_id(0) * 1024 + y * 32 + x;
  tile[y][x] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = tile[x][y];
}
