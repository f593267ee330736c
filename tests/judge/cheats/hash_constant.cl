// Cheat: one number for all rows, as if the last bits of the inputs decided nothing.
// Expected: wrong-value
kernel void hash(global const float* in, global uint* out, uint n) {
  out[get_global_id(0)] = in[0] < 1e30f ? 1 : 2;
}
