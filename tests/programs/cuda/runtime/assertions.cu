// Assertions in kernels: one that holds, one that does not, and what the program gets from then on.
#include <cassert>
#include <cstdio>

__global__ void fill(int* p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <class T>
__device__ T within(T i, T n) {
  assert(i < n && "in range");
  return i;
}

__global__ void add(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(p[i] == 1 || n == 70);
  p[within(i, n)] += 1;
}

__global__ void add_together(int* p, int n) {
  if (threadIdx.x == 0) return;  // so its threads have stacks of their own
  __syncthreads();
  assert(p[threadIdx.x] == n);
}

int main(int argc, char**) {
  int* p;
  int first = 0;
  cudaMalloc(&p, 128 * sizeof(int));
  fill<<<2, 64>>>(p);
  if (argc > 2) {
    add<<<2, 64>>>(p, 70);
    return 0;
  }
  add<<<2, 64>>>(p, 128);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  if (argc > 1)
    add_together<<<1, 8>>>(p, 3);
  else
    add<<<2, 64>>>(p, 70);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  fill<<<2, 64>>>(p);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&first, p, sizeof(int), cudaMemcpyDeviceToHost)));
  printf("%s\n", cudaGetErrorName(cudaFree(p)));
}
