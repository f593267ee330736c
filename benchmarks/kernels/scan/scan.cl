// Exclusive prefix sums of blocks of 2 * local size elements, up and down a tree in local memory, and the blocks' sums.
// Blelloch: Prefix sums and their applications, CMU-CS-90-190, 1990. PADDED moves every 32nd word on by one bank.
#if PADDED
#define PLACE(i) ((i) + (i) / 32)
#else
#define PLACE(i) (i)
#endif

__kernel void scan(__global const uint* in, __global uint* out, __global uint* sums, __local uint* tree) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint first = get_group_id(0) * 2 * items;
  tree[PLACE(local_id)] = in[first + local_id];
  tree[PLACE(local_id + items)] = in[first + local_id + items];
  uint distance = 1;
  for (uint active = items; active > 0; active /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < active) {
      const uint left = distance * (2 * local_id + 1) - 1;
      tree[PLACE(left + distance)] += tree[PLACE(left)];
    }
    distance *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (local_id == 0) {
    sums[get_group_id(0)] = tree[PLACE(2 * items - 1)];
    tree[PLACE(2 * items - 1)] = 0;
  }
  for (uint active = 1; active <= items; active *= 2) {
    distance /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < active) {
      const uint left = distance * (2 * local_id + 1) - 1;
      const uint below = tree[PLACE(left)];
      const uint above = tree[PLACE(left + distance)];
      tree[PLACE(left)] = above;
      tree[PLACE(left + distance)] = above + below;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + local_id] = tree[PLACE(local_id)];
  out[first + local_id + items] = tree[PLACE(local_id + items)];
}
