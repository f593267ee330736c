// How deep calls go: overflow DEPTH [BYTES of cudaLimitStackSize].
#include <cstdio>
#include <cstdlib>

__host__ __device__ int deep(int n) {
  if (n == 0) return 1;
  return n - 3 * deep(n - 1);
}
__global__ void recursive(int* p) {
  if (threadIdx.x == 2) p[0] = deep(p[0]);
}
__global__ void after(int* p) { p[1] = 7; }

int main(int argc, char** argv) {
  const int depth = atoi(argv[1]);
  int *device, host[2] = {depth, 0};
  if (argc > 2) cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[2]));
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  recursive<<<1, 4>>>(device);
  cudaDeviceSynchronize();
  after<<<1, 1>>>(device);
  const cudaError_t error = cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  puts(cudaGetErrorName(error));
  if (error == cudaSuccess) printf("%d wrong\n", (host[0] != deep(depth)) + (host[1] != 7));
}
