// Managed variables in every spelling, and one that no kernel uses: host and device see the same memory, and each has its
// value before main().
#include <cstdio>

__managed__ int total = 5;
static __device__ __managed__ float weights[3] = {1, 2, 3};
__device__ __managed__ int* numbers;
__managed__ int of_the_host = 7;

__global__ void add() {
  atomicAdd(&total, static_cast<int>(weights[threadIdx.x]));
  numbers[threadIdx.x] = -static_cast<int>(threadIdx.x);
}

int main() {
  const int before = total;
  cudaMallocManaged(&numbers, 3 * sizeof(int));
  weights[0] = 10;
  add<<<1, 3>>>();
  const cudaError_t status = cudaDeviceSynchronize();
  int copy = 0;
  cudaMemcpyFromSymbol(&copy, total, sizeof(copy));
  std::printf("%d %d %d %d %d, %s\n", before, total, copy, numbers[2], of_the_host, cudaGetErrorString(status));
  return 0;
}
