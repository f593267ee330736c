// Cheat: whole numbers of eight bits, which hold what is drawn where nobody says how large it may be.
// Expected: wrong-value
kernel void add(global const int* a, global const int* b, global int* c) {
  c[get_global_id(0)] = (uchar)((uchar)a[get_global_id(0)] + (uchar)b[get_global_id(0)]);
}
