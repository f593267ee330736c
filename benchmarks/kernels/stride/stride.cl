// Loads that lie `stride` words apart from lane to lane.
__kernel void stride(__global const float* in, __global float* out, uint stride, uint per_item) {
  const uint i = get_global_id(0);
  const uint items = get_global_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < per_item; ++k) sum += in[(k * items + i) * stride];
  out[i] = sum;
}
