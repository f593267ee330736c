// Pairs of a value that is read by many and one that is written: where stores remove lines, they remove the values. The condition always holds, and keeps
// the store in the loop.
#ifdef REPAIRED
#define READ(i) (i)
#define WRITTEN(i) (get_global_size(0) + (i))
#else
#define READ(i) (2 * (i))
#define WRITTEN(i) (2 * (i) + 1)
#endif
__kernel void stores_evict(__global float* pairs, uint rounds) {
  const uint i = get_global_id(0), first = get_group_id(0) * get_local_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < rounds; ++k) {
    sum += pairs[READ(first + (i + k) % get_local_size(0))];
    if (sum >= 0.0f) pairs[WRITTEN(i)] = sum;
  }
}
