// Work-items go round a table of 8 KiB that nothing writes to, on a GPU whose L1 takes only loads that are marked read-only. The twin is for
// an L1 that takes all loads: there only those of the table must use it.
#ifdef REPAIRED
#define OTHERS volatile
#else
#define OTHERS
#endif
__kernel void read_only_table(__global const float* in, __global OTHERS float* out) {
  const uint i = get_global_id(0);
  float sum = 0.0f;
  for (uint k = 0; k < 64; ++k) sum += in[(i + 32 * k) % 2048];
  out[i] = sum;
}
