// Each work-group reads 64 KiB again and again.
__kernel void capacity(__global const float* in, __global float* out) {
  float sum = 0;
  for (uint round = 0; round < 4; ++round)
    for (uint at = 0; at < 16384; at += 32) sum += in[at + (get_global_id(0) + round) % 32];
  out[get_global_id(0)] = sum;
}
