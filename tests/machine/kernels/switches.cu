// Cases that fall through, in functions that both sides of a branch call: lanes come to a BSYNC by ways without its BSSY, and keep barriers in registers (BMOV).
__device__ __noinline__ float half_way(float x) { return sqrtf(x * 2.0f); }
__device__ __noinline__ unsigned other(unsigned x, unsigned n) {
  for (unsigned i = 0; i < (x & 3u); ++i)
    switch ((x >> i) % 5u) {
      case 0: x += n; break;
      case 1: x ^= (unsigned)half_way((float)(x & 63u));
      case 2: if (x & 8u) break;
      case 3: x += n ? x / n : 7u;
    }
  return x;
}
__device__ __noinline__ unsigned step(unsigned x, unsigned n) {
  unsigned r = x;
  for (unsigned i = 0; i < (x & 3u); ++i) {
    switch (r % 9u) {
      case 0: r += 5u; break;
      case 1: r ^= (unsigned)half_way((float)(r & 255u));
      case 2: r += 11u;
      case 3: if (r & 1u) r += other(r >> 3, n + 1u); else r ^= 3u;
      case 4: r *= 3u;
      case 5: r += n ? r / n : 1u;
      case 6: r -= (unsigned)half_way((float)(r & 1023u)); break;
      case 7: r ^= 77u; break;
    }
  }
  return r;
}
extern "C" __global__ void switches(const unsigned* in, unsigned* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[t];
  for (unsigned k = 0; k < 4u; ++k) {
    if (x & 4u) x = step(x, k); else x += step(x >> 1, 3u);
    x = x * 1664525u + 1013904223u >> 4;
  }
  out[t] = x;
}
