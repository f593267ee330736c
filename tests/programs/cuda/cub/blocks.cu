// CUB in a program's own kernels: reduction, scan, and a sort of a block with its loads and stores transposed.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

constexpr int kThreads = 128, kCount = 1024;

__global__ void sums(const int* in, int* out) {
  typedef cub::BlockReduce<int, kThreads> Reduce;
  __shared__ typename Reduce::TempStorage temp;
  const int sum = Reduce(temp).Sum(in[blockIdx.x * kThreads + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void offsets(const int* in, int* out) {
  typedef cub::BlockScan<int, kThreads> Scan;
  __shared__ typename Scan::TempStorage temp;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  int value = in[i];
  Scan(temp).ExclusiveSum(value, value);
  out[i] = value;
}
__global__ void sort(const int* in, int* out) {
  typedef cub::BlockLoad<int, kThreads, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockRadixSort<int, kThreads, 4> Sort;
  typedef cub::BlockStore<int, kThreads, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } temp;
  const int first = blockIdx.x * kThreads * 4;
  int values[4];
  Load(temp.load).Load(in + first, values);
  __syncthreads();
  Sort(temp.sort).Sort(values);
  __syncthreads();
  Store(temp.store).Store(out + first, values);
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, kCount * sizeof(int));
  cudaMallocManaged(&out, kCount * sizeof(int));
  for (int i = 0; i < kCount; ++i) in[i] = i * 7919 % 1013 - 300;
  int wrong = 0;
  sums<<<kCount / kThreads, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int b = 0; b < kCount / kThreads; ++b) wrong += out[b] != std::accumulate(in + kThreads * b, in + kThreads * (b + 1), 0);
  offsets<<<kCount / kThreads, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0, sum = 0; i < kCount; sum += in[i++]) {
    if (i % kThreads == 0) sum = 0;
    wrong += out[i] != sum;
  }
  sort<<<kCount / kThreads / 4, kThreads>>>(in, out);
  wrong += cudaDeviceSynchronize() != cudaSuccess;
  std::vector<int> sorted(in, in + kCount);
  for (int b = 0; b < kCount; b += 4 * kThreads) std::sort(sorted.begin() + b, sorted.begin() + b + 4 * kThreads);
  wrong += !std::equal(sorted.begin(), sorted.end(), out);
  printf(wrong ? "wrong\n" : "ok\n");
  return wrong != 0;
}
