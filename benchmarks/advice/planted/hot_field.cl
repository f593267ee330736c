// One field of structures of 32 bytes: an eighth of every line is used.
__kernel void hot_field(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
#ifdef REPAIRED
  out[i] = in[i];
#else
  out[i] = in[8 * i];
#endif
}
