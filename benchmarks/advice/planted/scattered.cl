// Elements in the order of a hash: every lane of a warp is in a line of its own.
__kernel void scattered(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
#ifdef REPAIRED
  out[i] = in[i];
#else
  uint hash = i * 2654435761u;
  hash ^= hash >> 15;
  out[i] = in[hash * 2246822519u % get_global_size(0)];
#endif
}
