// Predecessor search in a binary search tree of 2^LEVELS - 1 keys, stored breadth first without pointers: the children of
// node n are 2n and 2n + 1. A key is stored with a one before it and without the zeros at its end.
__kernel void search_bst(__global const uint* tree, __global const uint* query, __global uint* found) {
  const uint i = get_global_id(0);
  const uint q = query[i];
  uint node = 1;
  for (uint level = 0; level < LEVELS; ++level) {
    const uint stored = tree[node];
    const uint key = ((2 * stored + 1) << (LEVELS - 1 - level)) - (1u << LEVELS);
    node = 2 * node + (key <= q ? 1 : 0);
  }
  found[i] = node - (1u << LEVELS);
}
