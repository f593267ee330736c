// Kernels that end by what they do; the argument says which.
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void bounds(int* p) { p[100000 + threadIdx.x] = 1; }
__global__ void misaligned(char* p) { *reinterpret_cast<double*>(p + 4) = 1; }
__global__ void assert_it() { assert(threadIdx.x < 3); }
__global__ void trap() { __trap(); }

int main(int, char** words) {
  char* memory = nullptr;
  cudaMalloc(&memory, 4096);
  if (std::strcmp(words[1], "bounds") == 0) bounds<<<1, 32>>>(reinterpret_cast<int*>(memory));
  if (std::strcmp(words[1], "misaligned") == 0) misaligned<<<1, 1>>>(memory);
  if (std::strcmp(words[1], "assert") == 0) assert_it<<<1, 32>>>();
  if (std::strcmp(words[1], "trap") == 0) trap<<<1, 1>>>();
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
