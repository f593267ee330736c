// Four at a time, by a quarter of the work-items.
kernel void add(global const int* a, global const int* b, global int* c) {
  const uint i = get_global_id(0);
  if (4 * i < get_global_size(0)) vstore4(vload4(i, a) + vload4(i, b), i, c);
}
