// A kernel that waits for what nobody writes.
#include <cstdio>

__global__ void fine(int* p) {
  p[threadIdx.x] = 1;
}
__global__ void spin(volatile int* p) {
  while (p[0] != 5) p[1] = p[0];
}

int main() {
  int* p;
  cudaMalloc(&p, 4096);
  fine<<<1, 32>>>(p);
  const cudaError_t first = cudaGetLastError();
  std::printf("%s\n", first == cudaSuccess ? "fine" : cudaGetErrorName(first));
  std::fflush(stdout);
  if (first == cudaSuccess) spin<<<1, 32>>>(p);
  return first;
}
