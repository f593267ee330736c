// Honest: a sum that keeps what rounding loses (Kahan).
kernel void sum(global const float* in, global float* out, uint n) {
  if (get_local_id(0) != 0) return;
  const uint group = get_group_id(0);
  float sum = 0, lost = 0;
  for (uint i = 0; i < n; ++i) {
    const float term = in[group * n + i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  out[group] = sum;
}
