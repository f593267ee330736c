// Cheat: a tree without barriers, which works where a warp runs in step.
// Expected: race-warp
kernel void sum(global const float* in, global float* out, uint n) {
  local float part[64];
  const uint group = get_group_id(0), item = get_local_id(0);
  float own = 0;
  for (uint i = item; i < n; i += 64) own += in[group * n + i];
  part[item] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_of = 32; half_of != 0; half_of /= 2)
    if (item < half_of) part[item] += part[item + half_of];
  if (item == 0) out[group] = part[0];
}
