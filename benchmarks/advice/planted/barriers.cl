// One work-item of 1024 adds up, the others wait at the barrier.
__kernel void barriers(__global const float* in, __global float* out) {
  __local float part[1024];
  const uint lane = get_local_id(0);
  part[lane] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef REPAIRED
  for (uint width = 512; width > 0; width /= 2) {
    if (lane < width) part[lane] += part[lane + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#else
  if (lane == 0)
    for (uint k = 1; k < 1024; ++k) part[0] += part[k];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  out[get_global_id(0)] = part[0];
}
