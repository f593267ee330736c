// Sum per work-group: a tree in local memory, with a barrier in every round of the loop.
__kernel void reduction(__global const float* in, __global float* out, __local float* scratch, uint per_item) {
  const uint local_id = get_local_id(0);
  const size_t items = get_global_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < per_item; ++k) sum += in[k * items + get_global_id(0)];
  scratch[local_id] = sum;
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < half_size) scratch[local_id] += scratch[local_id + half_size];
  }
  if (local_id == 0) out[get_group_id(0)] = scratch[0];
}
