// Histogram in two steps: atomics on a work-group's bins in local memory, then on the bins of all in global memory.
__kernel void histogram(__global const uint* values, __global uint* bins, uint per_item) {
  __local uint mine[BINS];
  const uint local_id = get_local_id(0);
  for (uint bin = local_id; bin < BINS; bin += get_local_size(0)) mine[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < per_item; ++k) atomic_inc(&mine[values[k * get_global_size(0) + get_global_id(0)] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = local_id; bin < BINS; bin += get_local_size(0)) atomic_add(&bins[bin], mine[bin]);
}
