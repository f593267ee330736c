// Kernels that trap, in every way of saying so, and what the program gets from then on.
#include <cstdio>
#include "trap.h"

__global__ void fill(int* p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void named(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n) __trap();
  p[i] += 1;
}

__global__ void assembly(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n) asm("trap;");
  p[i] += 1;
}

__global__ void builtin(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (p[i] > 0 && i == n) TRAP_OF_THE_COMPILER();
  p[i] += 1;
}

__device__ int checked(int i, int n) {
  switch (i - n) {
    case 0:
      __trap();
      __builtin_unreachable();
    default:
      return i;
  }
}

__global__ void called(int* p, int n) {
  p[checked(blockIdx.x * blockDim.x + threadIdx.x, n)] += 1;
}

__global__ void waiting(int* p, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  if (s[threadIdx.x ^ 1] > 0 && blockIdx.x * blockDim.x + threadIdx.x == n) __trap();
  __syncthreads();
  p[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

__global__ void together(int* p, int n) {
  if (threadIdx.x == 0) return;  // so its threads have stacks of their own
  __syncthreads();
  if (blockIdx.x * blockDim.x + threadIdx.x == n) __trap();
  __syncthreads();
  p[threadIdx.x] = n;
}

int main(int, char** argv) {
  struct {
    const char* name;
    void (*kernel)(int*, int);
  } const cases[] = {{"named", named},   {"assembly", assembly}, {"builtin", builtin},
                     {"called", called}, {"waiting", waiting},   {"together", together}};
  int* p;
  cudaMalloc(&p, 128 * sizeof(int));
  for (const auto& one : cases)
    if (std::strcmp(one.name, argv[1]) == 0) {
      fill<<<2, 64>>>(p);
      one.kernel<<<2, 64>>>(p, 128);  // of no thread
      printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
      one.kernel<<<2, 64>>>(p, 70);
    }
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  fill<<<2, 64>>>(p);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaFree(p)));
}
