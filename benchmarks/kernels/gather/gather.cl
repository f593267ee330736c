// Indirect reads: where a work-item reads is itself data, here random.
__kernel void gather(__global const uint* idx, __global const float* data, __global float* out, uint per_item) {
  const size_t i = get_global_id(0);
  float sum = 0.0f;
  for (uint k = 0; k < per_item; ++k) sum += data[idx[k * get_global_size(0) + i]];
  out[i] = sum;
}
