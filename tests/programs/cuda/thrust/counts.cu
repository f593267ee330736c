// Algorithms of Thrust whose accesses can be counted by hand, and a kernel on their vectors.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <cstdio>

struct TimesThree {
  __device__ int operator()(int x) const { return 3 * x; }
};

__global__ void add_index(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += i;
}

int main() {
  const int n = 1000;
  thrust::device_vector<int> a(n), b(n, 2), c(n);
  thrust::sequence(a.begin(), a.end());
  thrust::transform(a.begin(), a.end(), b.begin(), TimesThree());
  thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::plus<int>());
  const int factor = 2;
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(a.begin(), c.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(a.end(), c.end())),
                   [factor] __device__(auto pair) { thrust::get<1>(pair) += factor * thrust::get<0>(pair); });
  int* const raw = thrust::raw_pointer_cast(c.data());
  thrust::for_each_n(thrust::device, thrust::make_counting_iterator(0), n / 2, [raw] __device__(int i) { raw[i] = 0; });
  thrust::tabulate(b.begin(), b.end(), [n] __device__(int i) { return n - 1 - i; });
  thrust::gather(b.begin(), b.end(), c.begin(), a.begin());
  thrust::scatter(a.begin(), a.end(), b.begin(), c.begin());
  add_index<<<(n + 255) / 256, 256>>>(raw, n);
  const int sum = thrust::reduce(c.begin(), c.end()), product = thrust::inner_product(b.begin(), b.end(), b.begin(), 0);
  // b has all numbers below n; c is 6i in its upper half, and i more everywhere.
  bool right = sum == 6 * (500 + 999) * 250 + 999 * 500 && product == 999 * 1000 * 1999 / 6 && c[999] == 7 * 999 && a[0] == 6 * 999;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::inclusive_scan(thrust::cuda::par.on(stream), b.begin(), b.end(), a.begin());
  right = right && a[0] == 999 && a[1] == 999 + 998 && a[999] == 999 * 500;
  puts(right ? "ok" : "wrong");
  return !right;
}
