// Functions of a warp by lanes with different masks: those of the lanes whose number has the same remainder by `kinds`.
extern "C" __global__ void masks(const unsigned *in, unsigned *out, unsigned kinds) {
  const unsigned t = threadIdx.x, value = in[t], mask = __match_any_sync(0xffffffff, value % kinds);
  out[t] = __shfl_sync(mask, value, 31 - __clz(mask));
  out[t + 32] = __ballot_sync(mask, value & 1);
  out[t + 64] = __any_sync(mask, value % 7 == 5);
#if __CUDA_ARCH__ >= 800
  out[t + 96] = __reduce_add_sync(mask, value);
  out[t + 128] = __reduce_max_sync(mask, value);
  // Lanes that come by different ways.
  unsigned mixed = 0;
  if (value & 2)
    mixed = __reduce_xor_sync(mask, value);
  else
    mixed = __reduce_xor_sync(mask, value + 1);
  out[t + 160] = mixed;
#endif
}
