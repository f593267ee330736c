// What random kernels of meetings call: warp functions of the lanes of `m`, which read only lanes of `m`.
#pragma once

/// A lane of m.
PART u32 member(u32 m, u32 which) {
  u32 left = which % (u32)__popc(m), rest = m;
  for (; left != 0; --left) rest &= rest - 1u;
  return (u32)__ffs((int)rest) - 1u;
}
PART u32 picked(u32 m, u32, u32 x, u32 y) {
  return __shfl_sync(m, x, (int)member(m, y));
}
PART u32 picked_wide(u32 m, u32 lane, u32 x, u32 y) {
  const u64 wide = __shfl_sync(m, (u64)x << 32 | (x ^ y), (int)member(m, lane + y));
  return (u32)(wide >> 32) * 3u + (u32)wide;
}
PART u32 xored(u32 m, u32 lane, u32 x, u32 y) {
  const u32 found = __shfl_xor_sync(m, x, (int)(y & 31u));
  return (m >> ((lane ^ y) & 31u) & 1u) != 0 ? found : 7u;
}
PART u32 upwards(u32 m, u32 lane, u32 x, u32 y) {
  const u32 found = __shfl_up_sync(m, x, y & 31u);
  return lane >= (y & 31u) && (m >> ((lane - (y & 31u)) & 31u) & 1u) != 0 ? found : x + 9u;
}
PART u32 voted(u32 m, u32, u32 x, u32 y) {
  return __ballot_sync(m, (int)(x >> (y & 7u) & 1u));
}
PART u32 any_of(u32 m, u32, u32 x, u32 y) {
  return __any_sync(m, x % 11u == (y & 7u)) != 0 ? 5u : y;
}
PART u32 all_of(u32 m, u32, u32 x, u32 y) {
  return __all_sync(m, x % 5u != (y & 3u)) != 0 ? 3u : y;
}
PART u32 matched(u32 m, u32, u32 x, u32 y) {
  return __match_any_sync(m, x >> (y & 7u) & 3u);
}
PART u32 matched_all(u32 m, u32, u32 x, u32 y) {
  int same = 0;
  const u32 found = __match_all_sync(m, x >> (y & 7u) & 1u, &same);
  return found * 3u + (u32)(same != 0);
}
#if defined(ON_CPU) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
PART u32 sum_of(u32 m, u32, u32 x, u32 y) {
  return __reduce_add_sync(m, x ^ y);
}
PART u32 least_of(u32 m, u32, u32 x, u32 y) {
  return (u32)__reduce_min_sync(m, (int)(x - y));
}
PART u32 most_of(u32 m, u32, u32 x, u32 y) {
  return __reduce_max_sync(m, x + y);
}
PART u32 all_bits_of(u32 m, u32, u32 x, u32 y) {
  return __reduce_and_sync(m, x | y * 0x01010101u);
}
PART u32 any_bits_of(u32 m, u32, u32 x, u32 y) {
  return __reduce_or_sync(m, x & (y << 13 | y)) ^ __reduce_xor_sync(m, x);
}
#endif
/// Through shared memory.
PART u32 exchanged(u32 m, u32 lane, u32 x, u32 y BOX_PARAMETER) {
  const u32 t = threadIdx.x, warp = t & ~31u;
  __syncwarp(m);
  box[t] = x;
  __syncwarp(m);
  return box[warp + member(m, lane + y)];
}
PART void finish(u32* out, u32 t, const u32* a) {
  for (u32 k = 0; k < 4u; ++k) out[t * 4u + k] = a[k];
}
