// A GPU's shift clamps, and so does the code here; in machine code that is one instruction, so it counts as one. By hand: the thread's number,
// two addresses and the shift; a mask of the program's own; one address and the shift with the sign; a condition of the program's own.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
#include <cuda_runtime.h>
__global__ void left(unsigned *a, const int *by) { a[threadIdx.x] = a[threadIdx.x] << by[threadIdx.x]; }
__global__ void masked(unsigned *a, const int *by) { a[threadIdx.x] = a[threadIdx.x] << (by[threadIdx.x] & 31); }
__global__ void sign(int *a, const int *by) { a[threadIdx.x] = a[threadIdx.x] >> by[threadIdx.x]; }
__global__ void own(unsigned *a, const int *by) {
  const unsigned x = a[threadIdx.x];
  a[threadIdx.x] = by[threadIdx.x] < 5 ? x << 3 : 0;
}
__global__ void whole(float *a, int *b) { b[threadIdx.x] = (int)a[threadIdx.x]; }
__global__ void wide(double *a, int *b) { b[threadIdx.x] = (int)a[threadIdx.x]; }
// CHECK-LABEL: kernel left
// CHECK: instructions: 1 branch 4 int_alu 2 load_global 1 store_global
// CHECK-LABEL: kernel masked
// CHECK: instructions: 1 branch 5 int_alu 2 load_global 1 store_global
// CHECK-LABEL: kernel sign
// CHECK: instructions: 1 branch 4 int_alu 2 load_global 1 store_global
// CHECK-LABEL: kernel own
// CHECK: instructions: 1 branch 1 compare 4 int_alu 2 load_global 1 select 1 store_global
// CHECK-LABEL: kernel whole
// CHECK: instructions: 1 branch 1 convert 3 int_alu 1 load_global 1 store_global
// CHECK-LABEL: kernel wide
// CHECK: instructions: 1 branch 1 convert 3 int_alu 1 load_global 1 store_global
// IR-LABEL: @left(
// IR: select
// IR-LABEL: @masked(
// IR-NOT: select
// IR-LABEL: @sign(
