// Work-groups read the same COUNT elements ROUNDS times: the kernel of v100_working_set.csv. As at the commit that was measured,
// both numbers are known to the compiler, the elements have 8 bytes (its smallest set, 256 of them, is listed as 2 kB), and it is
// asked to unroll the loop 32 times where it is long. `zero` keeps it from reading once for all rounds.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define GROUP 256
__kernel void cyclic_sum(__global const double* restrict data, __global double* restrict out, int zero) {
  double sum = 0.0;
  data += get_local_id(0);
  for (int round = 0; round < ROUNDS; ++round) {
    data += zero;
#if COUNT / GROUP >= 64
#pragma unroll 32
#else
#pragma unroll
#endif
    for (int i = 0; i < COUNT; i += GROUP) sum += data[i];
    sum *= 1.3;
  }
  if (sum == 1233.0) out[get_local_id(0)] += sum;
}
