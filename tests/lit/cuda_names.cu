// Kernels are called as in CUDA: templates by their arguments, overloads by their parameters, namespaces in front.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=IR
#include <cuda_runtime.h>
template <class T, int N> __global__ void scale(T *a) { a[threadIdx.x] *= N; }
template __global__ void scale<double, 3>(double *);
namespace outer {
template <class F> __global__ void map(int *a, F f) { a[threadIdx.x] = f(a[threadIdx.x]); }
} // namespace outer
struct Twice {
  __device__ int operator()(int v) const { return 2 * v; }
};
__global__ void overloaded(int *a) { a[0] = 1; }
__global__ void overloaded(float *a, int n) { a[n] = 1; }
extern "C" __global__ void plain(int *a) { a[0] = 1; }
void host(int *a) {
  int k = 5;
  outer::map<<<1, 2>>>(a, Twice{});
  outer::map<<<1, 2>>>(a, [=] __device__(int v) { return v + k; });
}
// CHECK-DAG: kernel scale<double, 3>,
// CHECK-DAG: kernel outer::map<Twice>,
// CHECK-DAG: kernel outer::map<(lambda at cuda_names.cu:19:27)>,
// CHECK-DAG: kernel overloaded(int *),
// CHECK-DAG: kernel overloaded(float *, int),
// CHECK-DAG: kernel plain,
// CHECK-DAG: store global, width 4, {{.*}} map<(lambda at cuda_names.cu:19:27)> cuda_names.cu:8:70
// IR-DAG: define spir_kernel void @scale_double__3_(
// IR-DAG: define spir_kernel void @outer__map_Twice_(
// IR-DAG: define spir_kernel void @plain(
