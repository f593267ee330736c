// When a line takes its place in an L1: when it is asked for, or when it arrives. Under a profiler: validation/hardware/micro/README.md.
//   flight           every warp loads SETS times 32 lines and then another word of each; prints a line per launch
// Lines that have a place when they are asked for drive each other out while they are on their way: where there are more of them than
// the L2's replies fit, the second words miss.
#include <cstdio>
#include <cstdlib>

#include "micro.cuh"

__device__ inline int load(const int* at) {
  int value;
  asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

constexpr int kLineWords = 32;

/// `waits`: the first words have arrived before the second ones are asked for.
template <int kSets>
__global__ void flight(const int* data, int* out, bool waits) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int* mine = data + (warp * kSets * 32 + lane) * kLineWords;
  int first[kSets], second[kSets], sum = 0;
#pragma unroll
  for (int i = 0; i < kSets; ++i) first[i] = load(mine + i * 32 * kLineWords);
  if (waits) {
#pragma unroll
    for (int i = 0; i < kSets; ++i) sum += first[i];
    if (sum == 123456789) *out = sum;
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kSets; ++i) second[i] = load(mine + i * 32 * kLineWords + 1);
#pragma unroll
  for (int i = 0; i < kSets; ++i) sum += first[i] + second[i];
  if (sum == 123456789) *out = sum;
}

template <int kSets>
static void launch(const int* data, int* out, int shared) {
  check(cudaFuncSetAttribute(flight<kSets>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "shared memory");
  for (int warps = 1; warps <= 32; warps *= 2) {
    for (bool waits : {false, true}) {
      flight<kSets><<<1, warps * 32, shared>>>(data, out, waits);
      check(cudaDeviceSynchronize(), "flight");
      std::printf("flight,%d,%d,%d,%d\n", shared, warps, kSets, waits ? 1 : 0);
    }
  }
}

int main() {
  int *data = nullptr, *out = nullptr;
  constexpr std::size_t kBytes = std::size_t{32} * 16 * 32 * kLineWords * sizeof(int);
  check(cudaMalloc(&data, kBytes), "memory");
  check(cudaMemset(data, 0, kBytes), "memory");
  check(cudaMalloc(&out, sizeof(int)), "memory");
  for (int shared : {0, 99 * 1024, 163 * 1024, 227 * 1024}) {
    launch<1>(data, out, shared);
    launch<2>(data, out, shared);
    launch<3>(data, out, shared);
    launch<4>(data, out, shared);
    launch<6>(data, out, shared);
    launch<8>(data, out, shared);
    launch<16>(data, out, shared);
  }
  return 0;
}
