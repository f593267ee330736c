// Sorts blocks of 2 * local size keys in local memory by Batcher's bitonic network.
__kernel void bitonic(__global uint* keys, __local uint* block) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint first = get_group_id(0) * 2 * items;
  block[local_id] = keys[first + local_id];
  block[local_id + items] = keys[first + local_id + items];
  for (uint length = 2; length <= 2 * items; length *= 2) {
    for (uint distance = length / 2; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint lower = 2 * local_id - local_id % distance;
      const uint upper = lower + distance;
      const uint a = block[lower];
      const uint b = block[upper];
      const bool is_descending = (lower & length) != 0 && length != 2 * items;
      block[lower] = is_descending ? max(a, b) : min(a, b);
      block[upper] = is_descending ? min(a, b) : max(a, b);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + local_id] = block[local_id];
  keys[first + local_id + items] = block[local_id + items];
}
