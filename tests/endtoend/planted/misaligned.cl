// Every warp starts one element before the boundary of a line.
__kernel void shifted(__global const float* in, __global float* out) {
  const size_t i = get_global_id(0);
  out[i] = in[i + 31];
}
