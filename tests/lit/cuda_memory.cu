// Where CUDA's variables end: shared memory is the kernel's own, extern __shared__ and what the host fills are arguments,
// constants with values stay in the program, a struct parameter becomes an argument per member (where it cannot, its
// pointers still point to global memory), and what a branch chooses stays generic.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
// RUN: %check %s --check-prefix=SIGNATURE < %t/signatures.json
#include <cuda_runtime.h>
__constant__ float given[4];
__constant__ int fixed[2] = {3, 4};
__device__ int counter;
__device__ int start = 7;
__shared__ int both[8];
struct View {
  float *data;
  int n;
};
union Either {
  float *data;
  int n;
};
__global__ void first(View view, float2 *out, bool on) {
  extern __shared__ float dynamic[];
  const int t = threadIdx.x;
  dynamic[t] = view.data[t]; // line 24
  both[t] = fixed[t & 1];
  __syncthreads();
  if (on)
    out[t].y = dynamic[t ^ 1] + given[t & 3] + both[t ^ 1];
  atomicAdd(&counter, 1);
  atomicMax(&start, t);
}
__global__ void second(int *a, int which, Either either) {
  int *p = which ? a : both; // generic
  const volatile int *v = both;
  a[threadIdx.x] = p[threadIdx.x] + v[3] + either.data[2]; // line 35
}
// IR-DAG: @fixed = internal {{.*}}addrspace(2) constant [2 x i32] [i32 3, i32 4]
// IR-DAG: @start = internal {{.*}}addrspace(1) global i32 7
// IR-DAG: @first.both = internal {{.*}}addrspace(3) global [8 x i32] undef
// IR-DAG: @second.both = internal {{.*}}addrspace(3) global [8 x i32] undef
// IR: define spir_kernel void @first(float addrspace(1)* {{[^,]*}}, i32 {{[^,]*}}, %struct.float2 addrspace(1)* {{.*}}, i8 {{.*}}, float addrspace(3)* {{.*}}, float addrspace(2)* {{.*}}, i32 addrspace(1)* {{.*}})
// CHECK-LABEL: kernel first, {{.*}} local memory 32 bytes
// CHECK: argument view.data: __global float*
// CHECK-NEXT: argument view.n: int
// CHECK-NEXT: argument out: __global float2*
// CHECK-NEXT: argument on: uchar
// CHECK-NEXT: argument dynamic: __local float*
// CHECK-NEXT: argument given: __constant float*
// CHECK-NEXT: argument counter: __global int*
// CHECK-NEXT: object {{fixed|start|both}}: {{.*}}
// CHECK: load global, width 4, align 4, argument 0, {{.*}} first cuda_memory.cu:24:16
// CHECK: store local, width 4, align 4, argument 4, {{.*}} cuda_memory.cu:24:14
// CHECK: load constant, width 4, align 4, program_scope {{.*}} cuda_memory.cu:25:13
// CHECK: store local, width 4, align 4, local {{.*}} cuda_memory.cu:25:11
// CHECK: load constant, width 4, align 4, argument 5, {{.*}} cuda_memory.cu:28:33
// CHECK: atomic global (add), width 4, align 4, argument 6, {{.*}} cuda_memory.cu:29:3
// CHECK: atomic global (max), width 4, align 4, program_scope {{.*}} cuda_memory.cu:30:3
// CHECK-LABEL: kernel second,
// CHECK: argument either: Either
// CHECK: load generic, width 4, align 4, unknown, {{.*}} cuda_memory.cu:35:20
// CHECK: load local, width 4, align 4, local 0, volatile, {{.*}} cuda_memory.cu:35:37
// CHECK: load global, width 4, align 4, unknown, {{.*}} cuda_memory.cu:35:44
// CHECK: store global, width 4, align 4, argument 0, {{.*}} cuda_memory.cu:35:18
// SIGNATURE: "name": "view.data"
// SIGNATURE: "element": "float"
// SIGNATURE: "name": "out"
// SIGNATURE: "vector_width": 2
// SIGNATURE: "element": "uchar"
// SIGNATURE: "kind": "local"
// SIGNATURE-NEXT: "name": "dynamic"
// SIGNATURE: "fixed_bytes": 16
// SIGNATURE-NEXT: "kind": "buffer"
// SIGNATURE-NEXT: "name": "given"
// SIGNATURE: "symbol": "first"
