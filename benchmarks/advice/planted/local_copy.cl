// Local memory that no work-item shares with another.
__kernel void local_copy(__global const float* in, __global float* out) {
  __local float buffer[256 * 8];
  const uint lane = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
#ifdef REPAIRED
  float sum = 0.0f;
  for (uint k = 0; k < 8; ++k) sum += in[k * 256 % n + i];
  out[i] = sum;
#else
  for (uint k = 0; k < 8; ++k) buffer[k * 256 + lane] = in[k * 256 % n + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = 0; k < 8; ++k) sum += buffer[k * 256 + lane];
  out[i] = sum;
#endif
}
