// c = a + b of n floats; work-items stride through the vectors by the global size.
__kernel void vadd(__global const float* a, __global const float* b, __global float* c, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = a[i] + b[i];
}
