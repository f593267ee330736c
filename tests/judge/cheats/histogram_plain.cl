// Cheat: sums without atomics.
// Expected: race-global
kernel void histogram(global const uint* in, global uint* bins) {
  bins[in[get_global_id(0)]] += 1;
}
