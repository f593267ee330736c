// Templates whose every level calls the one below three times: with everything inlined, 3^9 copies of the lowest. The host computes the same:
// products are by powers of two, so that fused operations change nothing.
#include <cstdio>

#define BOTH __host__ __device__
#ifndef LEVELS
#define LEVELS 9  // nvcc takes minutes for them
#endif
constexpr int kThreads = 96;

template <int N> struct Level {
  BOTH static float at(const float *a, int i, float x) {
    const float left = Level<N - 1>::at(a, i, x + N);
    const float right = Level<N - 1>::at(a, i + N, x * 0.5f);
    return left * 0.5f - right + Level<N - 1>::at(a, i - N, x - 1);
  }
};
template <> struct Level<0> {
  BOTH static float at(const float *a, int i, float x) { return a[i & 255] + x; }
};

struct Input {
  const float *numbers;
  int steps, distance;
};
struct Pair {
  float first, second;
};
BOTH Pair pair(const Input &in, int i, float x) { return {Level<LEVELS - 1>::at(in.numbers, i, x), x + i}; }
BOTH void add(float *sum, Pair more) { *sum += more.first - more.second; }

// A loop, a branch, a variable whose address is passed, and an argument that is a structure.
BOTH float walk(Input in, int i) {
  float sum = i;
  for (int step = 0; step < in.steps; ++step) {
    if ((i + step) % 3 == 0) add(&sum, pair(in, i + step, sum));
    in.distance += step;
    add(&sum, {in.numbers[(i + in.distance) & 255], Level<LEVELS - 1>::at(in.numbers, i, step)});
  }
  return sum;
}

__global__ void climb(const float *a, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Level<LEVELS>::at(a, i, i);
}
__global__ void walks(Input in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = walk(in, i);
}
__global__ void meet(const float *a, float *out) {
  __shared__ float shared[kThreads / 2];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = Level<LEVELS - 1>::at(a, i, 1);
  __syncthreads();
  out[i] = Level<LEVELS - 1>::at(a, i, shared[(threadIdx.x + 1) % (kThreads / 2)]);
}

int main() {
  static float numbers[256], expected[3][kThreads];
  for (int i = 0; i < 256; ++i) numbers[i] = i * i % 257;
  float *a, *out;
  cudaMalloc(&a, sizeof numbers);
  cudaMallocManaged(&out, sizeof expected);
  cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  climb<<<2, kThreads / 2>>>(a, out);
  walks<<<2, kThreads / 2>>>(Input{a, 3, 7}, out + kThreads);
  meet<<<2, kThreads / 2>>>(a, out + 2 * kThreads);
  cudaDeviceSynchronize();
  int wrong[3] = {};
  for (int i = 0; i < kThreads; ++i) {
    expected[0][i] = Level<LEVELS>::at(numbers, i, i);
    expected[1][i] = walk({numbers, 3, 7}, i);
    const int next = i / (kThreads / 2) * (kThreads / 2) + (i + 1) % (kThreads / 2);
    expected[2][i] = Level<LEVELS - 1>::at(numbers, i, Level<LEVELS - 1>::at(numbers, next, 1));
    for (int k = 0; k < 3; ++k) wrong[k] += out[k * kThreads + i] != expected[k][i];
  }
  printf("%d %d %d wrong, %s\n", wrong[0], wrong[1], wrong[2], cudaGetErrorName(cudaGetLastError()));
}
