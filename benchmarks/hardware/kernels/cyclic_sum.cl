// Work-groups read the same `count` elements again and again: the kernel of v100_working_set.csv. Elements of 8 bytes, as at the
// commit that was measured: its smallest set, 256 elements, is listed as 2 kB.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void cyclic_sum(__global const double *data, __global double *out, uint count, uint rounds) {
  double sum = 0.0;
  for (uint round = 0; round < rounds; ++round) {
    for (uint i = get_local_id(0); i < count; i += get_local_size(0)) sum += data[i];
    sum *= 1.3;
  }
  if (sum == 1233.0) out[get_local_id(0)] = sum;
}
