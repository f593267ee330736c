// Columns of a tile of 32 rows of 32 elements: all lanes want one bank.
#ifdef REPAIRED
#define PITCH 33
#else
#define PITCH 32
#endif
__kernel void banks_padding(__global const float* in, __global float* out) {
  __local float tile[32 * PITCH];
  const uint x = get_local_id(0), y = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[y * PITCH + x] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[x * PITCH + y];
}
