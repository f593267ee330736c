// One lane of eight works.
__kernel void divergence(__global const float* in, __global float* out) {
  const uint i = get_global_id(0), n = get_global_size(0);
#ifdef REPAIRED
  if (i < n / 8)
    for (uint k = 0; k < 8; ++k) out[i + k * (n / 8)] = in[i + k * (n / 8)] + 1.0f;
#else
  if (i % 8 == 0)
    for (uint k = 0; k < 8; ++k) out[i / 8 + k * (n / 8)] = in[i / 8 + k * (n / 8)] + 1.0f;
#endif
}
