// An array of every work-item, at a place that is known only when it runs: it lies in memory.
__kernel void private_array(__global const uint* in, __global uint* out) {
  const uint i = get_global_id(0);
#ifdef REPAIRED
  uint first = 0, second = 0, third = 0, fourth = 0;
  for (uint k = 0; k < 16; ++k) {
    const uint bin = in[k * get_global_size(0) + i] % 4;
    first += bin == 0;
    second += bin == 1;
    third += bin == 2;
    fourth += bin == 3;
  }
  out[i] = first + 2 * second + 3 * third + 4 * fourth;
#else
  uint counts[4] = {0, 0, 0, 0};
  for (uint k = 0; k < 16; ++k) counts[in[k * get_global_size(0) + i] % 4] += 1;
  out[i] = counts[0] + 2 * counts[1] + 3 * counts[2] + 4 * counts[3];
#endif
}
