// Each work-item writes a row of its own.
__kernel void column_store(__global const float* in, __global float* out, uint width) {
  const uint i = get_global_id(0), rows = get_global_size(0);
  const float first = in[i];
#ifdef REPAIRED
  for (uint k = 0; k < width; ++k) out[k * rows + i] = first + k;
#else
  for (uint k = 0; k < width; ++k) out[i * width + k] = first + k;
#endif
}
