// Cheat: what an earlier run has left in the output is kept where it is right.
// Expected: uninitialised
kernel void sum(global const float* in, global float* out, uint n) {
  if (get_local_id(0) != 0) return;
  const uint group = get_group_id(0);
  float sum = 0;
  for (uint i = 0; i < n; ++i) sum += in[group * n + i];
  if (out[group] != sum) out[group] = sum;
}
