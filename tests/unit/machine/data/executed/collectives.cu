// Lanes that call one warp function at different places: of an unrolled loop, in branches, in functions and out of them.
extern "C" __global__ void growing(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = 0;
  for (unsigned from = 0; from <= lane; ++from) sum += __shfl_sync(0xffffffffu << from, lane * from, 31);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void branches(const unsigned* in, unsigned* out, unsigned mask) {
  const unsigned t = threadIdx.x, x = in[t];
  unsigned found = 0;
  if ((mask >> (t & 31) & 1) != 0) {
    if ((x & 1) != 0)
      found = __shfl_xor_sync(mask, x * 3, 1) + 5;
    else if ((x & 2) != 0)
      found = __shfl_xor_sync(mask, x * 7, 1) * 9;
    else
      found = __shfl_xor_sync(mask, x ^ 77, 1) ^ 3;
  }
  out[t] = found;
}

static __device__ __noinline__ unsigned inner(unsigned mask, unsigned from, unsigned x) {
  const unsigned voted = __ballot_sync(mask, (x & 4) != 0);
  return voted + __shfl_sync(mask, x, from);
}
static __device__ __noinline__ unsigned outer(unsigned mask, unsigned from, unsigned x) {
  const unsigned voted = __ballot_sync(mask, (x & 8) != 0), picked = inner(mask, from, x + 1);
  return voted * 3 + picked;
}
// Two or more masks at once.
extern "C" __global__ void functions(const unsigned* in, unsigned* out) {
  const unsigned t = threadIdx.x, x = in[t], mask = __match_any_sync(0xffffffffu, x % 3), from = __ffs(mask) - 1;
  unsigned found = 0;
  if ((x & 16) != 0) {
    found = outer(mask, from, x);
  } else if ((x & 32) != 0) {
    const unsigned first = __ballot_sync(mask, (x & 64) != 0);
    found = inner(mask, from, x * 5) ^ first;
  } else {
    found = __ballot_sync(mask, (x & 128) != 0) * 7;
    found += __ballot_sync(mask, (x & 256) != 0);
    found ^= __shfl_sync(mask, x * 11, from);
  }
  out[t] = found;
}
