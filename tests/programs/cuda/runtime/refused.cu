// A kernel with something that cannot run here: the others run, and the exit status says 3.
#include <cstdio>
// Blocks of a cluster see each other's shared memory: PTX of later GPUs.
__global__ void clustered(int* p) {
  asm("mapa.u32 %0, %0, 1;" : "=r"(*p));
}
__global__ void good(int* p) {
  *p += 2;
}
int main() {
  int *device, host = 5;
  cudaMalloc(&device, 4);
  cudaMemcpy(device, &host, 4, cudaMemcpyHostToDevice);
  clustered<<<1, 1>>>(device);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  good<<<1, 1>>>(device);
  cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
}
