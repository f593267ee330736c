// Program-scope tables are objects of the kernels that use them; the address of each site names its object.
// RUN: %compile %s -o %t | %check %s
constant float used[4] = {1, 2, 3, 4};
constant float unused[4] = {5, 6, 7, 8};
kernel void k(global float* a, local float* l) {
  local float t[32];
  int i = get_local_id(0);
  t[i] = used[i & 3];
  l[i] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = t[31 - i] + l[31 - i];
}
// CHECK: local memory 128 bytes
// CHECK: argument l: __local float*
// CHECK-DAG: object t: local, 128 bytes
// CHECK-DAG: object used: constant, 16 bytes
// CHECK-NOT: object unused
// CHECK-DAG: load constant, width 4, align 4, program_scope
// CHECK-DAG: store local, width 4, align 4, local
// CHECK-DAG: store local, width 4, align 4, argument 1
