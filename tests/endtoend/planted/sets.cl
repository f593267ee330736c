// Each work-group reads 8 lines again and again that are 4096 bytes apart: with linear sets they fall into one of 4 ways.
__kernel void sets(__global const float* in, __global float* out) {
  float sum = 0;
  for (uint round = 0; round < 64; ++round)
    for (uint line = 0; line < 8; ++line) sum += in[line * 1024 + (get_global_id(0) + round) % 32];
  out[get_global_id(0)] = sum;
}
