// Sum per work-group, in five steps from the plainest tree to few barriers per element.
// After Harris: Optimizing parallel reduction in CUDA, NVIDIA 2007.
#define DIVERGENT 0   // every second, fourth, … work-item adds
#define STRIDED 1     // the first work-items add, elements 2, 4, … apart
#define SEQUENTIAL 2  // the first work-items add, elements side by side
#define ADD_TWO 3     // as before, two elements per work-item on the way in
#define ADD_MANY 4    // as before, any number of elements per work-item

__kernel void reduction_ladder(__global const float* in, __global float* out, __local float* scratch, uint n) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint group = get_group_id(0);
#if STEP == ADD_MANY
  float sum = 0.0f;
  for (uint k = get_global_id(0); k < n; k += get_global_size(0)) sum += in[k];
  scratch[local_id] = sum;
#elif STEP == ADD_TWO
  scratch[local_id] = in[group * 2 * items + local_id] + in[group * 2 * items + items + local_id];
#else
  scratch[local_id] = in[group * items + local_id];
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
#if STEP == DIVERGENT || STEP == STRIDED
  for (uint distance = 1; distance < items; distance *= 2) {
#if STEP == DIVERGENT
    if (local_id % (2 * distance) == 0) scratch[local_id] += scratch[local_id + distance];
#else
    const uint place = 2 * distance * local_id;
    if (place < items) scratch[place] += scratch[place + distance];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#else
  for (uint distance = items / 2; distance > 0; distance /= 2) {
    if (local_id < distance) scratch[local_id] += scratch[local_id + distance];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
  if (local_id == 0) out[group] = scratch[0];
}
