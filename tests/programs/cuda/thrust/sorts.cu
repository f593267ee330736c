// Thrust's sorts: by digits for numbers, by merging for whatever has a comparison of its own.
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

struct Particle {
  int cell;
  float mass;
  __host__ __device__ bool operator==(const Particle& other) const { return cell == other.cell && mass == other.mass; }
};
struct ByCell {
  __host__ __device__ bool operator()(const Particle& a, const Particle& b) const { return a.cell < b.cell; }
};

template <class T> static bool same(const thrust::device_vector<T>& device, const std::vector<T>& host) {
  std::vector<T> copy(device.size());
  thrust::copy(device.begin(), device.end(), copy.begin());
  return copy == host;
}

int main() {
  const int n = 10000;
  std::vector<int> keys(n), order(n);
  for (int i = 0; i < n; ++i) keys[i] = (int)(i * 7919LL % 10133) % 512 - 200;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  thrust::device_vector<int> sorted(keys.begin(), keys.end()), places(n);
  thrust::sequence(places.begin(), places.end());
  thrust::stable_sort_by_key(sorted.begin(), sorted.end(), places.begin());
  bool right = same(places, order);
  std::vector<int> in_order = keys;
  std::sort(in_order.begin(), in_order.end());
  right = right && same(sorted, in_order);

  std::vector<Particle> particles(n);
  for (int i = 0; i < n; ++i) particles[i] = {keys[i], (float)i};
  thrust::device_vector<Particle> device(particles.begin(), particles.end());
  thrust::stable_sort(device.begin(), device.end(), ByCell());
  std::stable_sort(particles.begin(), particles.end(), ByCell());
  right = right && same(device, particles);
  puts(right ? "ok" : "wrong");
  return !right;
}
