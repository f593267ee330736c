// A recursive function becomes a loop whose frames are private memory: what is needed after a call is stored before it and loaded after
// it, at the call's line. What is only a loop has no stack. Threads that meet at a barrier get stacks of their own.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
// RUN: %compile --optimize O0 %s -o %t.O0 | %check %s --check-prefix=PLAIN
__device__ int deep(int n) {
  if (n == 0)
    return 1;
  return n - 3 * deep(n - 1); // line 9
}
__device__ int product(int n) { return n < 2 ? 1 : n * product(n - 1); }
__global__ void stack(int *a) { a[0] = deep(a[1]) + 2 * deep(a[2]); }
__global__ void loop(int *a) { a[0] = product(a[1]); }
__global__ void barrier(int *a) {
  __shared__ int s;
  s = a[2];
  __syncthreads();
  a[0] = deep(s);
}
// CHECK-LABEL: kernel stack,
// CHECK: object stack of deep: private, 524288 bytes
// CHECK: object stack of deep: private, 524288 bytes
// CHECK: store private, width 4, align 4, private 0, {{.*}}, deep cuda_recursion.cu:9:18
// CHECK: load private, width 4, align 4, private 0, {{.*}}, deep cuda_recursion.cu:9:18
// CHECK: store private, width 4, align 4, private 1, {{.*}}, deep cuda_recursion.cu:9:18
// CHECK: load private, width 4, align 4, private 1, {{.*}}, deep cuda_recursion.cu:9:18
// CHECK-NOT: private
// CHECK-LABEL: kernel loop,
// CHECK-NOT: stack of
// CHECK-LABEL: kernel barrier,
// CHECK: object stack of deep
// IR-LABEL: @stack(
// IR-NOT: call spir_func i32 @_Z
// IR: ret void
// IR-LABEL: @barrier(
// IR: load i8*, i8** getelementptr inbounds ([1 x i8*], [1 x i8*]* @__warpscope_threads_v1
// PLAIN-LABEL: kernel stack,
// PLAIN: store private, width 4, align 4, private 0, {{.*}}, deep cuda_recursion.cu:9:18
// PLAIN-LABEL: kernel loop,
// PLAIN-NOT: stack of
// PLAIN-LABEL: kernel barrier,
