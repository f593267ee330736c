// Points of three coordinates in an array of structures that stays in the L1.
__kernel void structures_load(__global const float* in, __global float* out) {
  const uint i = get_global_id(0), lane = get_local_id(0) % 32;
  float sum = 0.0f;
  for (uint k = 0; k < 16; ++k) {
    const uint point = lane + 32 * k;
#ifdef REPAIRED
    sum += in[point] * in[512 + point] + in[1024 + point];
#else
    sum += in[3 * point] * in[3 * point + 1] + in[3 * point + 2];
#endif
  }
  out[i] = sum;
}
