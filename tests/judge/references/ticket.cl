// Work-groups are counted when they begin, and double their numbers.
kernel void ticket(global const float* in, global float* out, global uint* begun) {
  if (get_local_id(0) == 0) atomic_inc(begun);
  out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
