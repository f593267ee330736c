// What has no equivalent is named with its line: PTX, a barrier of the grid, groups of active threads.
// RUN: %not %compile %s -o %t | %check %s
// RUN: %not %compile %s -o %t -- -DBROKEN 2>&1 | %check %s --check-prefix=BROKEN
#include <cooperative_groups.h>
__global__ void ptx(int *a) {
  asm volatile("nanosleep.u32 20;");
  a[0] = 1;
}
__global__ void grid(int *a) {
  cooperative_groups::this_grid().sync();
  a[cooperative_groups::coalesced_threads().thread_rank()] = 1;
}
__global__ void fine(int *a) { a[0] = 1; }
#ifdef BROKEN
__global__ void broken(int *a) { a[0] = missing; }
#endif
// CHECK-LABEL: kernel ptx,
// CHECK: cannot be traced: cuda_refused.cu:6:3: inline assembly
// CHECK-LABEL: kernel grid,
// CHECK: cannot be traced: cuda_refused.cu:10:3: grid_barrier, which has no equivalent here
// CHECK: cannot be traced: cuda_refused.cu:11:5: coalesced_threads, which has no equivalent here
// CHECK-LABEL: kernel fine,
// CHECK-NOT: cannot
// BROKEN: compile-kernel: cuda_refused.cu: does not compile
// BROKEN-NEXT: cuda_refused.cu:15:41: error: use of undeclared identifier 'missing'
// BROKEN-NOT: {{HIP|hip}}
