// Transposes a matrix of n x n elements. STRIDED_LOAD 1: lanes read with a stride of n elements and store a run;
// STRIDED_LOAD 0: the other way round.
__kernel void transpose_naive(__global const TYPE* in, __global TYPE* out, uint n) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x >= n || y >= n) return;
#if STRIDED_LOAD
  out[y * n + x] = in[x * n + y];
#else
  out[x * n + y] = in[y * n + x];
#endif
}
