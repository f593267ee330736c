// Work-groups of 8 by 32 read a picture: a warp reaches into four rows. Those of 32 by 8 do not.
__kernel void narrow_groups(__global const float* in, __global float* out) {
  const uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < 8; ++k) sum += in[(y + k) * width + x];
  out[y * width + x] = sum;
}
