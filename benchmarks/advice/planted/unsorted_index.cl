// A table through an index array in a mixed order: every lane of a warp is in a line of its own. What `index` holds is mixed here, one to one
// below 2^18, because a fill of a launch file cannot shuffle.
uint mixed(uint x) {
  x = x * 40503u & 0x3ffff;
  x ^= x >> 9;
  return x * 25717u & 0x3ffff;
}
__kernel void unsorted_index(__global const uint* restrict index, __global const float* restrict in, __global float* restrict out) {
  const uint i = get_global_id(0);
#ifdef REPAIRED
  out[i] = in[index[i]];
#else
  out[i] = in[mixed(index[i])];
#endif
}
