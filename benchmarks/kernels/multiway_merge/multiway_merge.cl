// Merges K sorted lists per work-group of one warp with a heap of blocks: every node holds 32 sorted keys, none of which is
// above any key below it. The root is written out; an empty node takes the 32 smallest of its children's keys, the child
// with the larger last key keeps the 32 largest, the other one is refilled in turn, leaves from their list. Two blocks are
// merged by a bitonic network. Heap: Karsin, dissertation (GPU multiway mergesort), University of Hawaii 2018.
// A list's keys are stored as differences to a base. K must be a power of two.
#define WIDTH 32
#define NONE 0xffffffffu

void refill(__local uint (*node)[WIDTH], __local uint* taken, __global const uint* lists, __global const uint* base,
            uint length, uint lane, uint empty) {
  while (empty < K) {
    const uint left = 2 * empty;
    const uint right = left + 1;
    const uint a = node[left][lane];
    const uint b = node[right][WIDTH - 1 - lane];
    const bool keeps_left = node[left][WIDTH - 1] > node[right][WIDTH - 1];
    const uint full = keeps_left ? left : right;
    uint low = min(a, b);
    uint high = max(a, b);
    for (uint distance = WIDTH / 2; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      node[empty][lane] = low;
      node[full][lane] = high;
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint other_low = node[empty][lane ^ distance];
      const uint other_high = node[full][lane ^ distance];
      const bool is_upper = (lane & distance) != 0;
      low = is_upper ? max(low, other_low) : min(low, other_low);
      high = is_upper ? max(high, other_high) : min(high, other_high);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    node[empty][lane] = low;
    node[full][lane] = high;
    empty = keeps_left ? right : left;
  }
  const uint list = empty - K;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint place = taken[list];
  node[empty][lane] = place < length ? base[list] + lists[list * length + place + lane] : NONE;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) taken[list] = place + WIDTH;
  barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void multiway_merge(__global const uint* lists, __global const uint* base, __global uint* out, uint length) {
  __local uint node[2 * K][WIDTH];
  __local uint taken[K];
  const uint lane = get_local_id(0);
  const uint group = get_group_id(0);
  lists += group * K * length;
  base += group * K;
  out += group * K * length;
  if (lane < K) taken[lane] = 0;
  for (uint empty = 2 * K - 1; empty > 0; --empty) refill(node, taken, lists, base, length, lane, empty);
  for (uint written = 0; written < K * length; written += WIDTH) {
    out[written + lane] = node[1][lane];
    refill(node, taken, lists, base, length, lane, 1);
  }
}
