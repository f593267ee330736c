// The warps of a core go round a table of 112 KiB at 16 places, and what they store meanwhile takes its lines where stores allocate.
#ifdef REPAIRED
#define STREAM volatile
#else
#define STREAM
#endif
__kernel void stores_allocate(__global const float4* in, __global STREAM float* out) {
  const uint i = get_global_id(0), lane = i % 32, step = get_global_size(0);
  uint row = 14 * (get_local_id(0) / 32);
  for (uint k = 0; k < 224; ++k) {
    const float4 value = in[lane + 32 * row];
    out[i + k * step] = value.x + value.y + value.z + value.w;
    row = row == 223 ? 0 : row + 1;
  }
}
