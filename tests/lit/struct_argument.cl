// A struct passed by value is read from the GPU's bank of kernel parameters: no site, but its loads count in the mix.
// RUN: %compile %s -o %t | %check %s
typedef struct { int n[4]; } S;
kernel void k(global int* a, S s, int i) { a[0] = s.n[i]; }
// CHECK: argument s: S
// CHECK: 1 load_constant
// CHECK: site 0: store global
// CHECK-NOT: site 1
