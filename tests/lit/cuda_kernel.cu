// A kernel in an ordinary .cu file: host code is parsed and left alone, the kernel ends as an OpenCL kernel with the
// lines of this file, shared memory in address space 3 and the barrier of OpenCL.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
#include <cuda_runtime.h>
#include <cstdio>
#include <iostream>
#include <vector>

__global__ void vecadd(const float *__restrict__ a, const float *b, float *c, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    tile[threadIdx.x] = a[i] + b[i]; // line 14
  __syncthreads();
  if (i < n)
    c[i] = tile[threadIdx.x ^ 1];
}

int main() {
  std::vector<float> v(10);
  float *d = nullptr;
  cudaEvent_t event;
  if (cudaMalloc(&d, 40) != cudaSuccess || cudaEventCreate(&event) != cudaSuccess)
    throw 1;
  cudaMemcpy(d, v.data(), 40, cudaMemcpyHostToDevice);
  vecadd<<<1, dim3(10, 1), 0>>>(d, d, d, 10);
  printf("%f %s\n", v[0], cudaGetErrorString(cudaGetLastError()));
  std::cout << v.size() << std::endl;
}
// CHECK: kernel vecadd, {{.*}}local memory 1024 bytes
// CHECK-NEXT: argument a: __global const float* restrict
// CHECK-NEXT: argument b: __global const float*
// CHECK-NEXT: argument c: __global float*
// CHECK-NEXT: argument n: int
// CHECK-NEXT: object tile: local, 1024 bytes
// CHECK: load global, width 4, align 4, argument 0,{{.*}} vecadd cuda_kernel.cu:14:25
// CHECK: load global, width 4, align 4, argument 1,{{.*}} vecadd cuda_kernel.cu:14:32
// CHECK: store local, width 4, align 4, local 0,{{.*}} vecadd cuda_kernel.cu:14:23
// CHECK: barrier {{.*}} vecadd cuda_kernel.cu:15:3
// CHECK: load local, width 4, {{.*}} cuda_kernel.cu:17:12
// CHECK: store global, width 4, align 4, argument 2,{{.*}} cuda_kernel.cu:17:10
// CHECK-NOT: kernel
// IR: target triple = "spir64-unknown-unknown"
// IR: @vecadd.tile = internal {{.*}}addrspace(3) global [256 x float] undef, align 16
// IR: define spir_kernel void @vecadd(float addrspace(1)* noalias {{.*}} !kernel_arg_addr_space
// IR-NOT: addrspace(4)
// IR: call spir_func void @_Z7barrierj(
// IR-NOT: @main
