// An array that is indexed with a value of the run: it stays in memory.
__kernel void histogram(__global const uint* in, __global uint* out) {
  uint counts[64];
  for (uint i = 0; i < 64; ++i) counts[i] = i;
  for (uint i = 0; i < 64; ++i) counts[in[(get_global_id(0) * 64 + i) % 4096] % 64] += i;
  uint sum = 0;
  for (uint i = 0; i < 64; ++i) sum += counts[i] * i;
  out[get_global_id(0)] = sum;
}
