// Trees in local memory.
kernel void softmax(global const float* in, global float* out, int n) {
  local float part[64];
  const int item = get_local_id(0), first = get_group_id(0) * n;
  float most = -INFINITY, sum = 0;
  for (int k = item; k < n; k += 64) most = fmax(most, in[first + k]);
  part[item] = most;
  for (int step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < step) part[item] = fmax(part[item], part[item + step]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  most = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < n; k += 64) sum += exp(in[first + k] - most);
  part[item] = sum;
  for (int step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < step) part[item] += part[item + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < n; k += 64) out[first + k] = exp(in[first + k] - most) / part[0];
}
