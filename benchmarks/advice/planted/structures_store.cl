// Points of three coordinates are written as an array of structures.
__kernel void structures_store(__global const float* in, __global float* out) {
  const uint i = get_global_id(0), n = get_global_size(0);
  const float v = in[i];
#ifdef REPAIRED
  out[i] = v;
  out[n + i] = v * v;
  out[2 * n + i] = v + 1.0f;
#else
  out[3 * i] = v;
  out[3 * i + 1] = v * v;
  out[3 * i + 2] = v + 1.0f;
#endif
}
