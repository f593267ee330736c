// The base case of a pairwise mergesort: blocks of local size * PER_ITEM keys. A work-item sorts PER_ITEM keys in registers
// by odd-even transposition; then runs are merged pairwise in local memory, where each work-item finds its share of the
// output by merge path. Green, McColl, Bader: GPU merge path, ICS 2012, doi:10.1145/2304576.2304621.
__kernel void mergesort_block(__global const uint* in, __global uint* out, __local uint* block) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint first = get_group_id(0) * items * PER_ITEM;
  for (int k = 0; k < PER_ITEM; ++k) block[k * items + local_id] = in[first + k * items + local_id];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint key[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) key[k] = block[local_id * PER_ITEM + k];
  for (int round = 0; round < PER_ITEM; ++round) {
    for (int k = round % 2; k + 1 < PER_ITEM; k += 2) {
      const uint low = min(key[k], key[k + 1]);
      key[k + 1] = max(key[k], key[k + 1]);
      key[k] = low;
    }
  }
  for (uint runs = 1; runs < items; runs *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < PER_ITEM; ++k) block[local_id * PER_ITEM + k] = key[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint length = runs * PER_ITEM;
    const uint a_begin = local_id / (2 * runs) * 2 * length;
    const uint b_begin = a_begin + length;
    const uint diagonal = local_id % (2 * runs) * PER_ITEM;
    uint least = diagonal > length ? diagonal - length : 0;
    uint most = min(diagonal, length);
    while (least < most) {
      const uint middle = (least + most) / 2;
      if (block[a_begin + middle] <= block[b_begin + diagonal - 1 - middle])
        least = middle + 1;
      else
        most = middle;
    }
    uint a = least;
    uint b = diagonal - least;
    for (int k = 0; k < PER_ITEM; ++k) {
      bool takes_a = a < length;
      if (takes_a && b < length) takes_a = block[a_begin + a] <= block[b_begin + b];
      key[k] = block[takes_a ? a_begin + a : b_begin + b];
      a += takes_a ? 1 : 0;
      b += takes_a ? 0 : 1;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PER_ITEM; ++k) block[local_id * PER_ITEM + k] = key[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PER_ITEM; ++k) out[first + k * items + local_id] = block[k * items + local_id];
}
