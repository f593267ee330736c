// Sums of whole numbers, of which the launch file says nothing.
kernel void add(global const int* a, global const int* b, global int* c) { c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)]; }
