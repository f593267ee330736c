// Follows the Collatz sequence of each start value and adds up a weight per step. Work-items leave the loop after
// different numbers of steps, and early when the sum passes the limit.
__kernel void collatz(__global const uint* start, __global const uint* weight, __global uint* sum, uint weights,
                      uint limit) {
  const size_t i = get_global_id(0);
  uint n = start[i];
  uint total = 0;
  while (n > 1) {
    total += weight[n % weights];
    if (total > limit) break;
    if (n % 2 == 0)
      n /= 2;
    else
      n = 3 * n + 1;
  }
  sum[i] = total;
}
