// The sum of each work-item's 1,024 numbers, which lie next to each other, or those of one step do.
__kernel void structs(__global const int *fruit, __global int *sums) {
  int tree = get_global_id(0), sum = 0;
  for (int i = 0; i < 1024; ++i)
    sum += fruit[tree * 1024 + i];
  sums[tree] = sum;
}
__kernel void arrays(__global const int *fruit, __global int *sums) {
  int tree = get_global_id(0), trees = get_global_size(0), sum = 0;
  for (int i = 0; i < 1024; ++i)
    sum += fruit[i * trees + tree];
  sums[tree] = sum;
}
