// Structures of four values, which the compiler may not load at once: it does not know that they are aligned.
__kernel void wide_loads(__global const float* in, __global float* out) {
  const uint i = get_global_id(0), lane = get_local_id(0) % 32;
  float sum = 0.0f;
  for (uint k = 0; k < 16; ++k) {
    const uint at = lane + 32 * k;
#ifdef REPAIRED
    const float4 v = ((__global const float4*)in)[at];
    sum += (v.x + v.y) * (v.z + v.w);
#else
    sum += (in[4 * at] + in[4 * at + 1]) * (in[4 * at + 2] + in[4 * at + 3]);
#endif
  }
  out[i] = sum;
}
