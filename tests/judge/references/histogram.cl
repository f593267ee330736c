// How often each number occurs.
kernel void histogram(global const uint* in, global uint* bins) {
  atomic_inc(&bins[in[get_global_id(0)]]);
}
