// Eight lines that are 4096 bytes apart are read again and again: with linear sets they share four ways.
#ifdef REPAIRED
#define PITCH 1056
#else
#define PITCH 1024
#endif
__kernel void sets(__global const float* in, __global float* out, uint rounds) {
  const uint lane = get_global_id(0) % 32;
  float sum = 0.0f;
  for (uint k = 0; k < rounds; ++k) sum += in[(k % 8) * PITCH + lane];
  out[get_global_id(0)] = sum;
}
