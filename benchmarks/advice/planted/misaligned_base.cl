// A table behind a header of one element: every request straddles a boundary.
#ifdef REPAIRED
#define HEADER 32
#else
#define HEADER 1
#endif
__kernel void misaligned_base(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  float sum = 0.0f;
  for (uint k = 0; k < 64; ++k) sum += in[HEADER + i % 32 + 32 * k];
  out[i] = sum;
}
