// All work-items count in one place.
__kernel void atomics(__global const uint* in, __global uint* count) {
#ifdef REPAIRED
  __local uint sum;
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, in[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(count, sum);
#else
  atomic_add(count, in[get_global_id(0)]);
#endif
}
