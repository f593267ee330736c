// Inline PTX is C++ before clang sees it: accesses have the memory, size and place of the asm statement. What is not
// known is named, and leaves the module.
// RUN: %not %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
__global__ void known(float2 *a, unsigned *u) {
  float2 v; unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane)); asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(a));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 4;\n"
               "  @p st.global.u32 [%0+16], %1; }" ::"l"(u), "r"(lane + (v.x > v.y)) : "memory");
}
__global__ void unknown(int *a) {
  asm volatile("wgmma.fence.sync.aligned;");
  a[0] = 1;
}
// CHECK-LABEL: kernel known,
// CHECK: load global, width 8, {{.*}}argument 0, {{.*}}cuda_inline_ptx.cu:7:46
// CHECK: store global, width 4, {{.*}}argument 1, {{.*}}cuda_inline_ptx.cu:8:
// CHECK-LABEL: kernel unknown,
// CHECK: cannot be traced: cuda_inline_ptx.cu:12:3: inline PTX: wgmma.fence.sync.aligned
// IR: load <2 x float>, <2 x float> addrspace(1)*
// IR: store i32 {{.*}} addrspace(1)*
// IR-NOT: wgmma
