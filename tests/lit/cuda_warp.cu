// A shuffle that one warp reaches is moved out of the branch; in a loop whose length differs the threads get
// stacks of their own, and PoCL's kernel hands them over. An atomic increment is one access, whatever the CPU does for it; the hidden array of the exchange is no object.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
#include <cuda_runtime.h>
__global__ void guarded(const int *in, int *out) {
  if (threadIdx.x < 32) {
    int v = in[threadIdx.x];               // line 8
    v += __shfl_xor_sync(0xffffffff, v, 1);
    out[threadIdx.x] = v;                  // line 10
  }
}
__global__ void differs(const int *in, int *out) {
  int v = threadIdx.x;
  for (int k = 0; k < in[threadIdx.x]; ++k)
    v += __shfl_xor_sync(0xffffffff, v, 1) + __any_sync(0xffffffff, v);
  out[threadIdx.x] = v;
}
__global__ void increment(unsigned *a) {
  __shared__ unsigned s;
  s = 0;
  __syncthreads();
  atomicInc(a + 1, 5);
  atomicDec(&s, 5);
  a[0] = __syncthreads_count(s == 1);
}
// CHECK-LABEL: kernel guarded, {{.*}} local memory 0 bytes
// CHECK-NOT: object
// CHECK: block 1: -> 2
// CHECK: load global, width 4, align 4, argument 0, {{.*}} cuda_warp.cu:8:13
// CHECK: block 2: -> 3 -> 4,
// CHECK-NOT: site
// CHECK: block 3: -> 4,
// CHECK: store global, width 4, align 4, argument 1, {{.*}} cuda_warp.cu:10:22
// CHECK-LABEL: kernel differs,
// CHECK-LABEL: kernel increment, {{.*}} local memory 4 bytes
// CHECK: atomic global (inc), width 4, align 4, argument 0, {{.*}} cuda_warp.cu:23:3
// CHECK: atomic local (dec), width 4, align 4, local 0, {{.*}} cuda_warp.cu:24:3
// CHECK: barrier {{.*}} cuda_warp.cu:25:10
// CHECK-NOT: cannot
// IR-LABEL: define spir_kernel void @guarded(
// IR: %[[V:.*]] = phi i64 [ %pieces{{.*}}, %if.then ], [ 0, %entry ]
// IR-NEXT: {{.*}} call spir_func i64 @__warpscope_warp_exchange(i64 noundef %[[V]],
// IR-NOT: __warpscope_cannot
// IR-LABEL: define spir_kernel void @differs(
// IR: icmp eq i64 %{{.*}}, 0
// IR-NOT: warp_exchange
// IR: call void %{{.*}}(i64 ptrtoint {{.*}}@threads_code
// IR: ret void
