// The compiler unrolls the loop: four copies of one source access.
__kernel void unrolled(__global const float* in, __global float* out) {
  float sum = 0;
#pragma unroll
  for (uint k = 0; k < 4; ++k) sum += in[(get_global_id(0) * 4 + k) * 8];
  out[get_global_id(0)] = sum;
}
