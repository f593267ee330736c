// Two work-groups for all cores.
__kernel void few_groups(__global const float* in, __global float* out, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = in[i] + 1.0f;
}
