// Predecessor search in a sorted array in global memory, one query per work-item. The number of keys is a power of two.
__kernel void search_sorted(__global const uint* key, __global const uint* query, __global uint* found, uint keys) {
  const uint i = get_global_id(0);
  const uint q = query[i];
  uint count = 0;
  for (uint step = keys / 2; step > 0; step /= 2)
    if (key[count + step - 1] <= q) count += step;
  if (key[count] <= q) ++count;
  found[i] = count;
}
