// Neighbouring lanes are 128 bytes apart, and nothing else uses the rest of their lines.
__kernel void strided(__global const float* in, __global float* out) {
  const size_t i = get_global_id(0);
  out[i] = in[i * 32];
}
