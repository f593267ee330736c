// A triangle: work-group g adds up 64 · (g + 1) elements per work-item, so the cores with the last work-groups work on when others have ended.
__kernel void uneven_work(__global const float* in, __global float* out) {
  const uint groups = get_num_groups(0);
  uint group = get_group_id(0);
#ifdef REPAIRED  // the second half in falling order: a core has a short and a long one
  if (group >= groups / 2) group = groups + groups / 2 - 1 - group;
#endif
  float sum = 0.0f;
  for (uint k = 0; k < 64 * (group + 1); ++k) sum += in[(get_local_id(0) + 32 * k) % 2048];
  out[group * get_local_size(0) + get_local_id(0)] = sum;
}
