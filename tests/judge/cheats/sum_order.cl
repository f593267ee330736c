// Cheat: a work-group writes to the next free place, which is its own only if all run in order.
// Expected: order-dependent
kernel void sum(global const float* in, global float* out, global uint* turns, uint n) {
  if (get_local_id(0) != 0) return;
  const uint group = get_group_id(0), place = atomic_inc(turns);
  float sum = 0;
  for (uint i = 0; i < n; ++i) sum += in[group * n + i];
  out[place] = sum;
}
