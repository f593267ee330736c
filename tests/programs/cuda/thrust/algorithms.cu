// Thrust as programs use it, around kernels of their own; every result is compared with the standard library's.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Sum {
  template <class Pair> __host__ __device__ void operator()(Pair pair) const {
    thrust::get<1>(pair) += thrust::get<0>(pair);
  }
};
__global__ void add_index(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += i;
}

static int wrong = 0;
static void expect(const char* what, bool holds) {
  if (holds) return;
  printf("%s is wrong\n", what);
  ++wrong;
}
static std::vector<int> host_of(const thrust::device_vector<int>& v) {
  std::vector<int> result(v.size());
  thrust::copy(v.begin(), v.end(), result.begin());
  return result;
}

int main() {
  const int n = 1000;
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = (i * 7919 + 13) % 251;
  thrust::host_vector<int> start(expected.begin(), expected.end());
  thrust::device_vector<int> v = start;
  add_index<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(v.data()), n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) expected[i] += i;
  expect("kernel", host_of(v) == expected);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::device_vector<int> keys = v, order(n);
  thrust::sequence(thrust::cuda::par.on(stream), order.begin(), order.end());
  thrust::stable_sort_by_key(thrust::device, keys.begin(), keys.end(), order.begin());
  std::vector<int> by(n);
  std::iota(by.begin(), by.end(), 0);
  std::stable_sort(by.begin(), by.end(), [&](int a, int b) { return expected[a] < expected[b]; });
  expect("sort_by_key", host_of(order) == by);
  std::vector<int> sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  expect("sorted keys", host_of(keys) == sorted);
  keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  expect("unique", host_of(keys) == sorted);

  expect("reduce", thrust::reduce(v.begin(), v.end(), 0L) == std::accumulate(expected.begin(), expected.end(), 0L));
  expect("count_if", thrust::count_if(v.begin(), v.end(), IsOdd()) == std::count_if(expected.begin(), expected.end(), IsOdd()));
  const auto first = thrust::make_counting_iterator(0);
  expect("transform_reduce", thrust::transform_reduce(first, first + 100, Square(), 0, thrust::plus<int>()) == 99 * 100 * 199 / 6);
  thrust::device_vector<int> sums(n);
  thrust::exclusive_scan(v.begin(), v.end(), sums.begin());
  std::vector<int> before(n);
  std::exclusive_scan(expected.begin(), expected.end(), before.begin(), 0);
  expect("exclusive_scan", host_of(sums) == before);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(v.begin(), sums.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(v.end(), sums.end())), Sum());
  std::partial_sum(expected.begin(), expected.end(), before.begin());
  expect("for_each", host_of(sums) == before);

  int* raw;
  cudaMalloc(&raw, n * sizeof(int));
  thrust::device_ptr<int> pointer(raw);
  thrust::fill(pointer, pointer + n, 5);
  add_index<<<(n + 255) / 256, 256>>>(raw, n);
  expect("device_ptr", thrust::reduce(pointer, pointer + n) == 5 * n + n * (n - 1) / 2);
  thrust::device_vector<int> groups(10), totals(10);
  const auto tens = thrust::make_transform_iterator(first, [] __host__ __device__(int i) { return i / 100; });
  thrust::reduce_by_key(tens, tens + n, pointer, groups.begin(), totals.begin());
  for (int g = 0; g < 10; ++g) expect("reduce_by_key", groups[g] == g && totals[g] == 100 * 5 + 100 * (200 * g + 99) / 2);
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
