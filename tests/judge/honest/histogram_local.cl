// Honest: counts of a work-group in local memory first.
kernel void histogram(global const uint* in, global uint* bins) {
  local uint own[32];
  const uint item = get_local_id(0);
  if (item < 32) own[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&own[in[get_global_id(0)]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 32) atomic_add(&bins[item], own[item]);
}
