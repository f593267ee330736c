// Algorithms of Thrust whose results depend on values: a search, a selection, groups, a set.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/find.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>

#include <algorithm>
#include <cstdio>
#include <vector>

typedef std::vector<int> Host;
typedef thrust::device_vector<int> Device;

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
static int wrong = 0;
static void expect(const char* what, bool holds) {
  if (holds) return;
  printf("%s is wrong\n", what);
  ++wrong;
}
static void expect(const char* what, const Device& device, Device::iterator end, const Host& host) {
  Host copy(end - Device::const_iterator(device.begin()));
  thrust::copy(device.begin(), device.begin() + copy.size(), copy.begin());
  expect(what, copy == host);
}

int main() {
  const int n = 5000;
  Host values(n), sorted, others, expected(n);
  for (int i = 0; i < n; ++i) values[i] = (int)(i * 48271LL % 2027) - 700;
  sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < n; ++i) others.push_back(i / 3);
  Device v(values.begin(), values.end()), s(sorted.begin(), sorted.end()), o(others.begin(), others.end()), out(2 * n), counts(n);

  // The pairs that this reduces are shuffled as words of another type.
  expect("find", thrust::find(v.begin(), v.end(), values[n / 2]) - v.begin() == std::find(values.begin(), values.end(), values[n / 2]) - values.begin());
  expected.erase(std::copy_if(values.begin(), values.end(), expected.begin(), IsOdd()), expected.end());
  expect("copy_if", out, thrust::copy_if(v.begin(), v.end(), out.begin(), IsOdd()), expected);
  Host keys = sorted, sizes;
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (int key : keys) sizes.push_back((int)std::count(values.begin(), values.end(), key));
  const auto groups = thrust::reduce_by_key(s.begin(), s.end(), thrust::make_constant_iterator(1), out.begin(), counts.begin());
  expect("keys", out, groups.first, keys);
  expect("counts", counts, groups.second, sizes);

  expected.resize(n);
  expected.erase(std::set_intersection(sorted.begin(), sorted.end(), others.begin(), others.end(), expected.begin()), expected.end());
  expect("set_intersection", out, thrust::set_intersection(s.begin(), s.end(), o.begin(), o.end(), out.begin()), expected);
  Host places(n);
  for (int i = 0; i < n; ++i) places[i] = (int)(std::lower_bound(sorted.begin(), sorted.end(), values[i]) - sorted.begin());
  Device d(n);
  expect("lower_bound", d, thrust::lower_bound(s.begin(), s.end(), v.begin(), v.end(), d.begin()), places);
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
