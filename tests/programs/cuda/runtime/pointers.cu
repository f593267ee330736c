// Pointers to kernels: of functions and templates, in arrays and arguments, and explicit instantiations.
#include <cstdio>

namespace kernels {
template <class T>
__global__ void add(T* p, T value) {
  p[threadIdx.x] += value;
}
template __global__ void add<short>(short*, short);
extern "C" __global__ void __launch_bounds__(64) twice(int* p) { p[threadIdx.x] *= 2; }
}  // namespace kernels
__global__ void minus(int* p) { p[threadIdx.x] -= 3; }
__global__ void plus(int* p) { p[threadIdx.x] += 5; }

typedef void (*Kernel)(int*);
template <class... Arguments>
static void launch(void (*kernel)(Arguments...), Arguments... arguments) {
  kernel<<<1, 32>>>(arguments...);
}

int main() {
  int* p;
  short* s;
  cudaMallocManaged(&p, 128);
  cudaMallocManaged(&s, 64);
  for (int i = 0; i < 32; ++i) p[i] = i, s[i] = (short)i;
  const Kernel all[] = {minus, plus, kernels::twice};
  for (const Kernel kernel : all) kernel<<<1, 32>>>(p);
  void (*add)(int*, int) = &kernels::add<int>;
  add<<<1, 32>>>(p, 1);
  launch(kernels::add<short>, s, (short)7);
  launch<int*>(plus, p);
  int wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < 32; ++i) wrong += p[i] != 2 * (i + 2) + 6 || s[i] != i + 7;
  printf(wrong ? "wrong\n" : "ok\n");
  return wrong;
}
