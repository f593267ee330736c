// A thread of a GPU has 512 KiB of local memory: a kernel with larger private arrays is refused, one with as much is not.
// RUN: %compile %s -o %t -- -DWORDS=131072 | %check %s
// RUN: %not %compile %s -o %t -- -DWORDS=131073 2>&1 | %check %s --check-prefix=REFUSED
// RUN: cp %s %t.cu && %not %compile %t.cu -o %t -- -DWORDS=131073 2>&1 | %check %s --check-prefix=REFUSED
// CHECK: kernel large
// REFUSED: large_private.cl{{.*}}: kernel 'large': 524{{[0-9]+}} bytes of private arrays per work-item, expected at most 524288
#ifdef __OPENCL_VERSION__
#define ID get_local_id(0)
#else
#define __kernel extern "C" __global__
#define __global
#define ID threadIdx.x
#endif
__kernel void large(__global int *o, int n) {
  volatile int a[WORDS];
  for (int k = 0; k < n; ++k) a[k] = k * n;
  o[ID] = a[n - 1 - ID];
}
