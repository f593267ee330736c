#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  int count = 0, version = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || cudaRuntimeGetVersion(&version) != cudaSuccess) return 1;
  std::printf("%d device, runtime %d\n", count, version);
  return 0;
}
