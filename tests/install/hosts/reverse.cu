// A CUDA program of the system that the tools are tried on: blocks reverse what they read, and the host checks it.
#include <cstdio>
#include <vector>

__global__ void reverse(const int* in, int* out) {
  __shared__ int tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int count = 1 << 12;
  std::vector<int> in(count), out(count);
  for (int i = 0; i < count; ++i) in[i] = 3 * i;
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, count * sizeof(int));
  cudaMalloc(&to, count * sizeof(int));
  cudaMemcpy(from, in.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  reverse<<<count / 128, 128>>>(from, to);
  if (cudaMemcpy(out.data(), to, count * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < count; ++i)
    if (out[i] != 3 * (i / 128 * 128 + 127 - i % 128)) return 2;
  std::puts("right");
  return 0;
}
