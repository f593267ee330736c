// PoCL prints errors for debug information, and the marks that carry lines have served their purpose.
// RUN: %compile %s -o %t
// RUN: %dis %t/optimised.bc -o - | %check %s
// RUN: %dis %t/instrumented.bc -o - | %check %s
kernel void k(global const float* restrict a, global float* restrict b) { b[0] = a[0]; }
// CHECK: define {{.*}}spir_kernel void @k
// CHECK-NOT: !DI
// CHECK-NOT: !dbg
// CHECK-NOT: warpscope.lines
// CHECK-NOT: no_debug_info.cl
