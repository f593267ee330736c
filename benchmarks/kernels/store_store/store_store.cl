// Stores twice to the same lines, from different warps, with a barrier between.
__kernel void store_store(__global uint* data, uint shift) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  __global uint* const mine = data + get_group_id(0) * items;
  mine[local_id] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  mine[(local_id + shift) % items] = get_global_id(0);
}
