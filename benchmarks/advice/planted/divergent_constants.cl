// A table in constant memory, read at a place of its own by every lane.
#ifdef REPAIRED
#define TABLE __global const
#else
#define TABLE __constant
#endif
__kernel void divergent_constants(TABLE float* table, __global float* out) {
  const uint i = get_global_id(0);
  float sum = 0.0f;
  for (uint k = 0; k < 16; ++k) sum += table[(i + 37 * k) % 1024];
  out[i] = sum;
}
