// Predecessor search in sorted keys in local memory, three ways. KEYS is at least 2 * 32; any number.
#define PLAIN 0          // binary search: after some steps all lanes are in few banks
#define CONFLICT_FREE 1  // lane t searches column t of rows of 32 keys, then scans 32 keys: always in a bank of its own
#define CONFLICT_LOW 2   // the same with a binary search in the 32 keys
#define WIDTH 32
#define ROWS ((KEYS + WIDTH - 1) / WIDTH)
#define WHOLE ((KEYS & (KEYS - 1)) == 0)  // no step of the search can leave the keys

__kernel void search_shared(__global const uint* keys, __global const uint* query, __global uint* found, uint per_item) {
  __local uint key[ROWS * WIDTH];
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
    uint step = (KEYS + 3) / 4;
    for (uint width = 1; width < KEYS; width *= 2) {
      if (q >= key[index])
        index = min(index + step, (uint)(KEYS - 1));
      else
        index = index > step ? index - step : 0;
      step = (step + 1) / 2;
    }
    count = index + (q >= key[index] ? 1 : 0);
#else
    uint rows = 0;
    uint step = 1;
    while (step * 2 < ROWS) step *= 2;
    for (uint width = 1; width <= ROWS; width *= 2) {
      const uint at = (rows + step - 1) * WIDTH + lane;
      const bool is_key = WHOLE || at < KEYS;
      const bool is_below = key[is_key ? at : lane] <= q;  // outside of the keys another word of the same bank
      if (is_key & is_below) rows += step;
      step = (step + 1) / 2;
    }
    const int above = (int)(rows * WIDTH + lane) - WIDTH;  // the last key of the column that is not above q
#if VARIANT == CONFLICT_FREE
    count = 0;
    for (int k = 1; k < WIDTH; ++k) {
      const int at = above + k;
      const bool is_below = key[(at + ROWS * WIDTH) % (ROWS * WIDTH)] <= q;
      count += (at < 0) | ((at < KEYS) & is_below);
    }
    count += above + 1;
#else
    int last = above;
    for (int step = WIDTH / 2; step > 0; step /= 2) {
      const int at = last + step;
      const bool is_below = key[(at + ROWS * WIDTH) % (ROWS * WIDTH)] <= q;
      last = (at < 0) | ((at < KEYS) & is_below) ? at : last;
    }
    count = last + 1;
#endif
#endif
    found[place] = count;
  }
}
