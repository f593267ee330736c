// Cheat: half of the work-items do not come to the barrier.
// Expected: divergent-barrier
kernel void sum(global const float* in, global float* out, uint n) {
  local float part[64];
  const uint group = get_group_id(0), item = get_local_id(0);
  float own = 0;
  for (uint i = item; i < n; i += 64) own += in[group * n + i];
  part[item] = own;
  if (item < 32) barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  for (uint i = 1; i < 64; ++i) own += part[i];
  out[group] = own;
}
