// Predecessor search in a tree whose nodes have 32 keys, by a warp per query: a work-item compares one key of the node, who
// finds the last key that is not above the query says where to go. Three levels; the leaves are the sorted keys.
#define WIDTH 32

uint descend(__global const uint* keys, uint node, uint q, __local uint* key, __local uint* child) {
  const uint lane = get_local_id(0);
  key[lane] = keys[node * WIDTH + lane];
  if (lane == 0) key[WIDTH] = 0xffffffffu;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (key[lane] <= q && q < key[lane + 1]) *child = node * WIDTH + lane;
  barrier(CLK_LOCAL_MEM_FENCE);
  return *child;
}

__kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1))) void search_btree(__global const uint* root,
                                                                              __global const uint* inner,
                                                                              __global const uint* leaf,
                                                                              __global const uint* query,
                                                                              __global uint* found) {
  __local uint key[WIDTH + 1];
  __local uint queries[WIDTH];
  __local uint child;
  const uint i = get_global_id(0);
  const uint lane = get_local_id(0);
  queries[lane] = query[i];
  uint mine = 0;
  for (uint k = 0; k < WIDTH; ++k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint q = queries[k];
    uint node = descend(root, 0, q, key, &child);
    node = descend(inner, node, q, key, &child);
    node = descend(leaf, node, q, key, &child);
    if (lane == k) mine = node;
  }
  found[i] = mine;
}
