// The fences that PoCL does not take as calls become instructions, and stay sites; barriers keep what they order.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
kernel void fences(global int* a) {
  a[0] = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  a[1] = 2;
  write_mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);
}
// CHECK: fence global (global), {{.*}} fences.cl:6:3
// CHECK: fence local (local), {{.*}} fences.cl:8:3
// CHECK: fence local (local|global), {{.*}} fences.cl:9:3
// CHECK: barrier local (local), {{.*}} fences.cl:10:3
// IR: fence acq_rel
// IR: fence release
// IR: fence acquire
// IR: call spir_func void @_Z7barrierj(i32 {{.*}}1)
