// Cheat: local memory that happens to be 0.
// Expected: uninitialised
kernel void sum(global const float* in, global float* out, uint n) {
  local float total;
  const uint group = get_group_id(0);
  if (get_local_id(0) != 0) return;
  for (uint i = 0; i < n; ++i) total += in[group * n + i];
  out[group] = total;
}
