// CUB's algorithms for the whole device: kernels with look-back, which wait for earlier blocks.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

// Asks for the temporary memory's size, and calls again with it.
template <class Call> static bool run(Call call) {
  size_t bytes = 0;
  void* temp = nullptr;
  call(temp, bytes);
  cudaMalloc(&temp, bytes);
  const cudaError_t error = call(temp, bytes);
  cudaFree(temp);
  return error == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

int main() {
  const int n = 100000;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = (int)(i * 7919LL % 10133) - 300;
  bool right = run([&](void* temp, size_t& bytes) { return cub::DeviceReduce::Sum(temp, bytes, in, out, n); });
  right = right && out[0] == std::accumulate(in, in + n, 0);
  right = run([&](void* temp, size_t& bytes) { return cub::DeviceScan::InclusiveSum(temp, bytes, in, out, n); }) && right;
  std::vector<int> expected(n);
  std::partial_sum(in, in + n, expected.begin());
  right = right && std::equal(expected.begin(), expected.end(), out);
  right = run([&](void* temp, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, n); }) && right;
  expected.assign(in, in + n);
  std::sort(expected.begin(), expected.end());
  right = right && std::equal(expected.begin(), expected.end(), out);
  printf(right ? "ok\n" : "wrong\n");
  return !right;
}
