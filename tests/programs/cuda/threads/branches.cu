// Barriers in both ways of a branch that whole blocks take, and code of single threads behind them.
#include <cstdio>

__device__ int total(int value, int* sums, int* calls) {
  const int t = threadIdx.x;
  if (t % 32 == 0) sums[t / 32] = value;
  __syncthreads();
  if (t == 0) {
    calls[blockIdx.x]++;
    value += sums[1];
  }
  return value;
}
__global__ void both_ways(const int* in, int n, int* calls, int* out) {
  __shared__ int sums[8];
  int value;
  if (n > 5)
    value = total(in[threadIdx.x], sums, calls);
  else
    value = total(in[threadIdx.x] + 1, sums, calls);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

int main() {
  int *in, *calls, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&calls, 2 * sizeof(int));
  cudaMallocManaged(&out, 2 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = 3 * i + 1;
  calls[0] = calls[1] = 0;
  both_ways<<<2, 256>>>(in, 9, calls, out);
  const bool first = cudaDeviceSynchronize() == cudaSuccess && out[0] == 1 + 97 && out[1] == 1 + 97;
  both_ways<<<2, 256>>>(in, 1, calls, out);
  const bool second = cudaDeviceSynchronize() == cudaSuccess && out[0] == 2 + 98 && out[1] == 2 + 98;
  const bool right = first && second && calls[0] == 2 && calls[1] == 2;
  printf(right ? "ok\n" : "wrong\n");
  return !right;
}
