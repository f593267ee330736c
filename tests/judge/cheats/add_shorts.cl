// Cheat: numbers of 16 bits, of both signs.
// Expected: wrong-value
kernel void add(global const int* a, global const int* b, global int* c) {
  c[get_global_id(0)] = (short)a[get_global_id(0)] + (short)b[get_global_id(0)];
}
