// Each of n elements of `out` gets the sum of the 32 elements of `in` that its warp has. Every work-item reads all of them.
// ROTATED 0: all lanes the same one at a time. ROTATED 1: lane l reads element (l + step) mod 32, so a step reads all 32.
__kernel void group_sum_loads(__global const float* in, __global float* out, uint n) {
  const uint id = get_global_id(0);
  const uint lane = id % 32;
  const uint first = id - lane;
  float sum = 0.0f;
#if ROTATED
  for (uint step = 0; step < 32; ++step) {
    const uint at = first + (lane + step) % 32;
    if (at < n) sum += in[at];
  }
  if (id < n) out[id] = sum;
#else
  if (id >= n) return;
  const uint end = min(first + 32, n);
  for (uint at = first; at < end; ++at) sum += in[at];
  out[id] = sum;
#endif
}
