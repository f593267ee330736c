// Indirect writes: where a work-item writes is computed from data by a multiplication that is one to one.
__kernel void scatter(__global const uint* key, __global const float* in, __global float* out, uint mask, uint per_item) {
  const uint i = get_global_id(0);
  const uint items = get_global_size(0);
  for (uint k = 0; k < per_item; ++k) out[key[k * items + i] * 2654435769u & mask] = in[k * items + i];
}
