// Structures of four values in local memory: a field of 32 of them lies in eight banks.
#ifdef REPAIRED
#define STRUCT 5
#else
#define STRUCT 4
#endif
__kernel void banks_structures(__global const float* in, __global float* out) {
  __local float values[288 * STRUCT];
  const uint lane = get_local_id(0), i = get_global_id(0);
  values[lane * STRUCT] = in[i];
  if (lane < 32) values[(256 + lane) * STRUCT] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = 0; k < 32; ++k) sum += values[(lane + k) * STRUCT];
  out[i] = sum;
}
