// Threads of a warp store to volatile shared memory together: a barrier of the CPU's on both sides, no instruction of the GPU's, and
// all threads of the block reach it.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
__global__ void fold(int *out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32)
    s[threadIdx.x] += s[threadIdx.x + 32];
  out[threadIdx.x] = s[threadIdx.x];
}
// CHECK-LABEL: kernel fold,
// CHECK-NOT: cannot be traced
// CHECK: site 0: store local
// CHECK: site 1: barrier local (local|global)
// CHECK: site 2: load local
// CHECK: site 3: load local
// CHECK: site 4: store local
// CHECK: site 5: load local
// CHECK: site 6: store global
// IR-LABEL: define spir_kernel void @fold(
// IR: call spir_func void @__warpscope_warp_lockstep(i32 1)
// IR-NEXT: store volatile i32
// IR-NEXT: call spir_func void @__warpscope_warp_lockstep(i32 1)
// IR-COUNT-2: call spir_func void @__warpscope_warp_lockstep(i32 %
