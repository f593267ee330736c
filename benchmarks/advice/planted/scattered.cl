// Elements in a random order: every lane of a warp is in a line of its own.
__kernel void scattered(__global const float* in, __global const uint* index, __global float* out) {
  const uint i = get_global_id(0);
#ifdef REPAIRED
  out[i] = in[i];
#else
  out[i] = in[index[i] % get_global_size(0)];
#endif
}
