// One pass: the sum is scaled when the largest number so far changes.
kernel void softmax(global const float* in, global float* out, int n) {
  local float most_of_row, sum_of_row;
  const int item = get_local_id(0), first = get_group_id(0) * n;
  if (item == 0) {
    float most = in[first], sum = 1;
    for (int k = 1; k < n; ++k) {
      const float next = fmax(most, in[first + k]);
      sum = sum * exp(most - next) + exp(in[first + k] - next);
      most = next;
    }
    most_of_row = most;
    sum_of_row = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < n; k += 64) out[first + k] = exp(in[first + k] - most_of_row) / sum_of_row;
}
