// Stores, then loads what a neighbour has stored, on the other side of a barrier. LOAD_FIRST brings the lines in before.
__kernel void store_load(__global uint* data, __global uint* out, uint shift) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  __global uint* const mine = data + get_group_id(0) * items;
  uint before = 0;
#if LOAD_FIRST
  before = mine[local_id];
#endif
  barrier(CLK_GLOBAL_MEM_FENCE);
  mine[local_id] = before + get_global_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = mine[(local_id + shift) % items];
}
