// The same with all local memory that there is: longer rows do not fit, exchanged columns do.
#ifdef REPAIRED
#define PLACE(row, column) ((row) * 32 + ((column) ^ ((row) & 31)))
#else
#define PLACE(row, column) ((row) * 32 + (column))
#endif
__kernel void banks_swizzle(__global const float* in, __global float* out) {
  __local float tile[384 * 32];
  const uint x = get_local_id(0), y = get_local_id(1), group = get_group_id(0) * 384;
  for (uint row = y; row < 384; row += 32) tile[PLACE(row, x)] = in[(group + row) * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint row = 0; row < 384; row += 32) out[(group + row + y) * 32 + x] = tile[PLACE(row + x, y)];
}
