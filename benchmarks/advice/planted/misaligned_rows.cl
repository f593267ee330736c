// The first 32 columns of rows of 1000 elements: most of them begin in the middle of a line.
#ifdef REPAIRED
#define PITCH 1024
#else
#define PITCH 1000
#endif
__kernel void misaligned_rows(__global const float* in, __global float* out) {
  const uint x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = in[y * PITCH + x];
}
