// Host code around a kernel: OpenMP, threads, smart pointers, a lambda on the device, a class for both sides.
#include <omp.h>

#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace points {

struct Point {
  int x;
  float y;
  __host__ __device__ float sum() const { return static_cast<float>(x) + y; }
};

template <typename Function>
__global__ void apply(Function function, const Point* in, float* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    out[i] = function(in[i]);
}

}  // namespace points

__host__ __device__ inline float bounded(float value, float most) {
  return value < most ? value : most;
}

int main() {
  constexpr int kCount = 300;
  std::unique_ptr<points::Point[]> in(new points::Point[kCount]);
  std::mt19937 generator(1);
  std::thread filler([&] {
    for (int i = 0; i < kCount; ++i) in[i] = {static_cast<int>(generator() % 100), 0.5f};
  });
  filler.join();
  points::Point* d_in = nullptr;
  float* d_out = nullptr;
  cudaMalloc(&d_in, kCount * sizeof(points::Point));
  cudaMalloc(&d_out, kCount * sizeof(float));
  cudaMemcpy(d_in, in.get(), kCount * sizeof(points::Point), cudaMemcpyHostToDevice);
  const float most = 150;
  points::apply<<<4, 64>>>(
      [most] __device__(const points::Point& point) { return bounded(2 * point.sum(), most); }, d_in, d_out,
      kCount);
  std::vector<float> out(kCount);
  cudaMemcpy(out.data(), d_out, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = omp_get_num_procs() > 0 ? 0 : 1;
#pragma omp parallel for reduction(+ : wrong)
  for (int i = 0; i < kCount; ++i) wrong += out[i] != bounded(2 * in[i].sum(), most);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
  return wrong;
}
