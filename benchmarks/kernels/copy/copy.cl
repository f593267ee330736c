// Copies one array to another; PER_ITEM loads of a work-item are independent of each other.
__kernel void copy(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  const uint items = get_global_size(0);
  float value[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) value[k] = in[k * items + i];
  for (int k = 0; k < PER_ITEM; ++k) out[k * items + i] = value[k];
}
