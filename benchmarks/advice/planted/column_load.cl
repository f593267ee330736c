// Each work-item adds up a row of its own: neighbouring lanes are a row apart.
__kernel void column_load(__global const float* in, __global float* out, uint width) {
  const uint i = get_global_id(0), rows = get_global_size(0);
  float sum = 0.0f;
#ifdef REPAIRED
  for (uint k = 0; k < width; ++k) sum += in[k * rows + i];
#else
  for (uint k = 0; k < width; ++k) sum += in[i * width + k];
#endif
  out[i] = sum;
}
