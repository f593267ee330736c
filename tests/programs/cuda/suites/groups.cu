// Cooperative groups as samples use them: partitions by a value, groups of a type or size that only the kernel's run
// knows, structures exchanged. Compiled as C++11 with -DN=64 and the like, as suites' makefiles do.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

#ifndef N  // nvcc's own headers do not bear such macros
#define N 64
#define T 10
#endif

namespace cg = cooperative_groups;

struct Sample {
  double weight;
  int index, pad;
  float values[4];
};

__device__ int sum_of(const cg::thread_group& group, int* room, int value) {
  const int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    room[rank] = value;
    group.sync();
    if (rank < half) value += room[rank + half];
    group.sync();
  }
  return value;
}

// sums: of even elements, of odd ones, of each remainder by 3, of the block, of its tiles of 16.
__global__ void sum_groups(const int* elements, int* sums) {
  __shared__ int room[N];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int element = elements[block.thread_rank()];

  const cg::coalesced_group same = cg::binary_partition(tile, element & 1);
  const int of_same = cg::reduce(same, element, cg::plus<int>());
  if (same.thread_rank() == 0) atomicAdd(&sums[element & 1], of_same);

  const cg::coalesced_group remainder = cg::labeled_partition(tile, element % 3);
  if (remainder.thread_rank() == 0) atomicAdd(&sums[2 + element % 3], (int)remainder.size());

  const int of_block = sum_of(block, room, element);
  if (block.thread_rank() == 0) sums[5] = of_block;
  block.sync();
  const cg::thread_group small = cg::tiled_partition(block, 16);
  const int first = block.thread_rank() / 16 * 16;
  const int of_small = sum_of(small, room + first, element);
  if (small.thread_rank() == 0) sums[6 + first / 16] = of_small;
}

__global__ void exchange(const Sample* in, Sample* out, int steps) {
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  Sample own = in[threadIdx.x];
#pragma unroll
  for (int i = 0; i < steps; ++i) own = tile.shfl_down(own, 1);  // steps is not known: no warning says so
  out[threadIdx.x] = own;
}

int main() {
  int *elements, *sums;
  Sample *in, *out;
  cudaMallocManaged(&elements, N * sizeof(int));
  cudaMallocManaged(&sums, T * sizeof(int));
  cudaMallocManaged(&in, 32 * sizeof(Sample));
  cudaMallocManaged(&out, 32 * sizeof(Sample));
  int expected[T] = {};
  for (int i = 0; i < N; ++i) {
    elements[i] = i * i % 37;
    expected[elements[i] & 1] += elements[i];
    expected[2 + elements[i] % 3] += 1;
    expected[5] += elements[i];
    expected[6 + i / 16] += elements[i];
  }
  for (int i = 0; i < 32; ++i) in[i] = {i * 0.5, i, -1, {1.0f * i, 2.0f * i, 3.0f * i, 4.0f * i}};
  sum_groups<<<1, N>>>(elements, sums);
  exchange<<<1, 32>>>(in, out, 3);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < T; ++i) wrong += sums[i] != expected[i];
  for (int i = 0; i < 32; ++i) {
    const int from = i + 3 < 32 ? i + 3 : 31;
    wrong += out[i].weight != from * 0.5 || out[i].index != from || out[i].values[3] != 4.0f * from;
  }
  std::printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
