// Cheat: the last term is left out.
// Expected: wrong-value
kernel void sum(global const float* in, global float* out, uint n) {
  if (get_local_id(0) != 0) return;
  const uint group = get_group_id(0);
  float sum = 0;
  for (uint i = 0; i + 1 < n; ++i) sum += in[group * n + i];
  out[group] = sum;
}
