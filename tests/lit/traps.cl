// A trap calls the host, which is told where; the branch comes back, so that it shapes the kernel no more than another. What other
// implementations run has the trap itself.
// RUN: %compile %s -o %t --pass-option=-warpscope-boxes | %check %s
// RUN: %dis %t/instrumented.bc -o - | %check %s --check-prefix=IR
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=PLAIN
kernel void k(global int *a, int n) {
  int i = get_global_id(0);
  a[i] = 1;
  if (i == n)
    __builtin_trap();
  a[i] = 2;
}
// CHECK-LABEL: kernel k,
// CHECK: block 0: -> {{[12] -> [12]}}, post-dominator 2
// CHECK: block 2: return
// IR: c"traps.cl:10:5\00"
// IR-NOT: k.prologue
// IR: @__warpscope_device_v1
// PLAIN-LABEL: define {{.*}}spir_kernel void @k(
// PLAIN: store i32 1
// PLAIN: call void @llvm.trap()
// PLAIN-NEXT: br label
// PLAIN-NOT: @__warpscope_device
