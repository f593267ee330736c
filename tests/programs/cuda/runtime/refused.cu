// A kernel with something that cannot run here: the others run, and the exit status says 3.
#include <cstdio>
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive(int* p) {
  *p = fibonacci(*p);
}
__global__ void good(int* p) {
  *p += 2;
}
int main() {
  int *device, host = 5;
  cudaMalloc(&device, 4);
  cudaMemcpy(device, &host, 4, cudaMemcpyHostToDevice);
  recursive<<<1, 1>>>(device);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  good<<<1, 1>>>(device);
  cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
}
