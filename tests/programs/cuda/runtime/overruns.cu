// One thread of a kernel accesses a byte distance beyond one of three buffers: `overruns load|store FIRST|LAST BYTES`.
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kCount = 1024;

__global__ void fill(int* d, int value) {
  d[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void load(const int* from, int* to, long bytes) {
  if (threadIdx.x == 3) *to += *(const int*)((const char*)(from + kCount) + bytes);
}
__global__ void store(int* from, int* to, long bytes) {
  if (threadIdx.x == 3) *(int*)((char*)(from + kCount) + bytes) = *to;
}
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void change(long bytes) {
  *(int*)((char*)(table + 4) + bytes) = 5;
}

int main(int, char** argv) {
  if (std::strcmp(argv[1], "change") == 0) {
    change<<<1, 1>>>(std::atol(argv[2]));
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  int* buffers[3];
  for (int i = 0; i < 3; ++i) {
    cudaMalloc(&buffers[i], kCount * sizeof(int));
    fill<<<kCount / 64, 64>>>(buffers[i], i + 1);
  }
  int* const own = buffers[std::strcmp(argv[2], "first") == 0 ? 0 : 2];
  const long bytes = std::atol(argv[3]);
  if (std::strcmp(argv[1], "load") == 0) load<<<1, 32>>>(own, buffers[1], bytes);
  else store<<<1, 32>>>(own, buffers[1], bytes);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  static int content[kCount];
  for (int* buffer : buffers) {
    long sum = 0;
    if (cudaMemcpy(content, buffer, sizeof(content), cudaMemcpyDeviceToHost) != cudaSuccess) continue;
    for (int value : content) sum += value;
    std::printf("%ld\n", sum);
  }
  for (int* buffer : buffers) cudaFree(buffer);
  return 0;
}
