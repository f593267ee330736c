// A kernel with something that cannot run here: the others run, and the exit status says 3.
#include <cooperative_groups.h>

#include <cstdio>
__global__ void whole_grid(int* p) {
  cooperative_groups::this_grid().sync();
  *p = 1;
}
__global__ void good(int* p) {
  *p += 2;
}
int main() {
  int *device, host = 5;
  cudaMalloc(&device, 4);
  cudaMemcpy(device, &host, 4, cudaMemcpyHostToDevice);
  whole_grid<<<1, 1>>>(device);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  good<<<1, 1>>>(device);
  cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
}
