// What has no equivalent is named with its line (functions of other files), and leaves the module, so that its other kernels run.
// RUN: %not %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
// RUN: %not %compile %s -o %t -- -DBROKEN 2>&1 | %check %s --check-prefix=BROKEN
__device__ int elsewhere(int);
__global__ void missing_function(int *a) { a[0] = elsewhere(a[0]); }
__global__ void fine(int *a) { a[0] = 1; }
#ifdef BROKEN
__global__ void broken(int *a) { a[0] = missing; }
#endif
// CHECK-LABEL: kernel missing_function,
// CHECK: cannot be traced: cuda_refused.cu:6:51: elsewhere(int), not defined in this file
// CHECK-LABEL: kernel fine,
// CHECK-NOT: cannot
// IR-NOT: __warpscope_cannot
// BROKEN: compile-kernel: cuda_refused.cu: does not compile
// BROKEN-NEXT: cuda_refused.cu:9:41: error: use of undeclared identifier 'missing'
// BROKEN-NOT: {{HIP|hip}}
