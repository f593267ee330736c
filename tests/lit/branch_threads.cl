// Where PoCL computes a branch around barriers wrong, the work-items run on stacks of their own: PoCL gets another
// bitcode than Oclgrind.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/runnable.bc -o - | %check %s --check-prefix=POCL
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=PLAIN
kernel void plain(global int* a, int n, local int* h) {
  int t = get_local_id(0);
  h[t] = a[t];
  if (n > 5) { barrier(CLK_LOCAL_MEM_FENCE); a[t] = h[t ^ 1]; }
  for (int i = 0; i < n; ++i) { barrier(CLK_LOCAL_MEM_FENCE); h[t] += h[0]; barrier(CLK_LOCAL_MEM_FENCE); }
}
kernel void both(global int* a, int n, local int* h) {
  int t = get_local_id(0);
  h[t] = a[t];
  if (n > 5) { barrier(CLK_LOCAL_MEM_FENCE); a[t] = h[t ^ 1]; }
  else { a[t + 1] = n; barrier(CLK_LOCAL_MEM_FENCE); a[t + 99] = h[t ^ 3]; }
}
kernel void ends_in_a_branch(global int* a, int n, local int* h) {
  int t = get_local_id(0);
  h[t] = a[t];
  if (n > 5) { barrier(CLK_LOCAL_MEM_FENCE); if (t == 0) a[1] += 1; }
}
// CHECK-LABEL: kernel plain,
// CHECK-LABEL: kernel both,
// CHECK: barrier {{.*}} branch_threads.cl:15:16
// CHECK: barrier {{.*}} branch_threads.cl:16:24
// POCL-LABEL: define {{.*}} @plain
// POCL: @_Z7barrierj
// POCL-LABEL: define {{.*}} @both
// POCL-NOT: @_Z7barrierj
// POCL: @__warpscope_threads_v1
// POCL-LABEL: define {{.*}} @ends_in_a_branch
// POCL-NOT: @_Z7barrierj
// POCL: @__warpscope_threads_v1
// PLAIN-LABEL: define {{.*}} @both
// PLAIN: @_Z7barrierj
// PLAIN-NOT: @__warpscope_threads_v1
