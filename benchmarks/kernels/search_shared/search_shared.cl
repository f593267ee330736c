// Predecessor search in sorted keys in local memory, three ways. KEYS is a power of two and at least 2 * 32.
#define PLAIN 0          // binary search: after some steps all lanes are in few banks
#define CONFLICT_FREE 1  // lane t searches column t of rows of 32 keys, then scans 32 keys: always in a bank of its own
#define CONFLICT_LOW 2   // the same with a binary search in the 32 keys
#define WIDTH 32

__kernel void search_shared(__global const uint* keys, __global const uint* query, __global uint* found, uint per_item) {
  __local uint key[KEYS];
  const uint local_id = get_local_id(0);
#if VARIANT != PLAIN
  const uint lane = local_id % WIDTH;
#endif
  for (uint k = local_id; k < KEYS; k += get_local_size(0)) key[k] = keys[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < per_item; ++k) {
    const uint place = k * get_global_size(0) + get_global_id(0);
    const uint q = query[place];
    uint count;  // of keys that are not above q
#if VARIANT == PLAIN
    uint index = KEYS / 2;
    uint step = KEYS / 4;
    for (uint width = KEYS; width > 1; width /= 2) {
      if (q >= key[index])
        index = min(index + step, (uint)(KEYS - 1));
      else
        index = index > step ? index - step : 0;
      step = (step + 1) / 2;
    }
    count = index + (q >= key[index] ? 1 : 0);
#else
    uint rows = 0;
    for (uint step = KEYS / WIDTH / 2; step > 0; step /= 2)
      if (key[(rows + step - 1) * WIDTH + lane] <= q) rows += step;
    if (key[rows * WIDTH + lane] <= q) ++rows;
    const int above = (int)(rows * WIDTH + lane) - WIDTH;  // the last key of the column that is not above q
#if VARIANT == CONFLICT_FREE
    count = 0;
    for (int k = 1; k < WIDTH; ++k) {
      const int at = above + k;
      const bool is_below = key[at & (KEYS - 1)] <= q;  // outside of the keys another word of the same bank
      count += (at < 0) | ((at < KEYS) & is_below);
    }
    count += above + 1;
#else
    int last = above;
    for (int step = WIDTH / 2; step > 0; step /= 2) {
      const int at = last + step;
      const bool is_below = key[at & (KEYS - 1)] <= q;
      last = (at < 0) | ((at < KEYS) & is_below) ? at : last;
    }
    count = last + 1;
#endif
#endif
    found[place] = count;
  }
}
