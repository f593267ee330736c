// All lanes load the same coefficients from global memory.
#ifdef REPAIRED
#define COEFFICIENTS __constant
#else
#define COEFFICIENTS __global const
#endif
__kernel void uniform(COEFFICIENTS float* c, __global float* out) {
  const uint i = get_global_id(0);
  float value = (float)i, sum = 0.0f;
  for (uint k = 0; k < 64; ++k) sum += c[k] * value;
  out[i] = sum;
}
