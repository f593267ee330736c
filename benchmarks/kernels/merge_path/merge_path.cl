// A round of a pairwise mergesort: merges two sorted arrays. A work-group finds its part of the output on the merge path in
// global memory, loads its inputs into local memory and merges there. Green, McColl, Bader: GPU merge path, ICS 2012.
uint path(__global const uint* a, uint a_count, __global const uint* b, uint b_count, uint diagonal) {
  uint least = diagonal > b_count ? diagonal - b_count : 0;
  uint most = min(diagonal, a_count);
  while (least < most) {
    const uint middle = (least + most) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

__kernel void merge_path(__global const uint* a, __global const uint* b, __global uint* out, __local uint* tile,
                         uint a_count, uint b_count) {
  __local uint begins[2];
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint size = items * PER_ITEM;
  const uint first = get_group_id(0) * size;
  if (local_id < 2) begins[local_id] = path(a, a_count, b, b_count, first + local_id * size);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint a_first = begins[0];
  const uint a_length = begins[1] - a_first;
  const uint b_first = first - a_first;
  const uint b_length = size - a_length;
  for (uint k = local_id; k < size; k += items)
    tile[k] = k < a_length ? a[a_first + k] : b[b_first + k - a_length];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint diagonal = local_id * PER_ITEM;
  uint least = diagonal > b_length ? diagonal - b_length : 0;
  uint most = min(diagonal, a_length);
  while (least < most) {
    const uint middle = (least + most) / 2;
    if (tile[middle] <= tile[a_length + diagonal - 1 - middle])
      least = middle + 1;
    else
      most = middle;
  }
  uint from_a = least;
  uint from_b = diagonal - least;
  uint key[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) {
    bool takes_a = from_a < a_length;
    if (takes_a && from_b < b_length) takes_a = tile[from_a] <= tile[a_length + from_b];
    key[k] = tile[takes_a ? from_a : a_length + from_b];
    from_a += takes_a ? 1 : 0;
    from_b += takes_a ? 0 : 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PER_ITEM; ++k) tile[diagonal + k] = key[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = local_id; k < size; k += items) out[first + k] = tile[k];
}
