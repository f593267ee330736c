// What threads may do that PoCL's work-items may not: divergent warp functions and barriers, waiting loops, a
// barrier of the grid. Every result is compared with a loop on the host.
#include <cooperative_groups.h>

#include <cstdio>
namespace cg = cooperative_groups;

// Lane i adds up the lanes 0 to i, in a loop of i + 1 rounds.
__global__ void rounds(int* out) {
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int from = 0; from <= lane; ++from) sum += __shfl_sync(0xffffffffu << from, lane, 31);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// The lanes that take one side of a branch are counted.
__global__ void sides(int* out) {
  const int i = threadIdx.x;
  out[i] = 0;
  if (i % 3 == 0) out[i] = cg::coalesced_threads().size();
}
// Half warps reduce in loops of different length.
__global__ void tiles(int* out, const int* rounds_of) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int value = tile.thread_rank();
  for (int round = 0; round < rounds_of[tile.meta_group_rank()]; ++round) value += tile.shfl_xor(value, 1);
  out[threadIdx.x] = value;
}
__global__ void early(int* out, int n) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  if (i >= n) return;
  tile[i] = i;
  __syncthreads();
  out[i] = tile[n - 1 - i];
}
__global__ void locked(int* lock, int* count) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      *count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}
// Each block waits for the one before it.
__global__ void chain(volatile int* prefix, const int* in) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x != 0)
    while ((before = prefix[blockIdx.x - 1]) == 0) {
    }
  prefix[blockIdx.x] = before + in[blockIdx.x];
}
// A warp of the block waits for another one.
__global__ void hand_over(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
    *out = flag;
  } else if (threadIdx.x == 63) {
    flag = 63;
  }
}
__global__ void scan(int* a, int n) {
  const auto grid = cg::this_grid();
  __shared__ int kept[64];
  const int i = (int)grid.thread_rank();
  for (int step = 1; step < n; step *= 2) {
    kept[threadIdx.x] = i >= step ? a[i - step] : 0;
    grid.sync();
    a[i] += kept[threadIdx.x];
    grid.sync();
  }
}

static int wrong = 0;
static void expect(const char* what, int index, int got, int expected) {
  if (got == expected) return;
  printf("%s[%d]: %d, expected %d\n", what, index, got, expected);
  ++wrong;
}

int main() {
  int *a, *b;
  cudaMallocManaged(&a, 4096 * sizeof(int));
  cudaMallocManaged(&b, 4096 * sizeof(int));
  rounds<<<2, 64>>>(a);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) expect("rounds", i, a[i], 31 * (i % 32 + 1));
  sides<<<1, 64>>>(a);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) expect("sides", i, a[i], i % 3 == 0 ? 11 : 0);
  const int lengths[] = {1, 4, 2, 0};
  for (int i = 0; i < 4; ++i) b[i] = lengths[i];
  tiles<<<1, 64>>>(a, b);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) {
    int pair[] = {i % 16 & ~1, i % 16 | 1};
    for (int round = 0; round < lengths[i / 16]; ++round) pair[0] = pair[1] = pair[0] + pair[1];
    expect("tiles", i, a[i], pair[i & 1]);
  }
  early<<<1, 128>>>(a, 100);
  cudaDeviceSynchronize();
  for (int i = 0; i < 100; ++i) expect("early", i, a[i], 99 - i);
  a[0] = a[1] = 0;
  locked<<<6, 96>>>(a, a + 1);
  cudaDeviceSynchronize();
  expect("locked", 0, a[1], 6 * 96);
  for (int i = 0; i < 50; ++i) a[i] = 0, b[i] = i + 1;
  chain<<<50, 32>>>(a, b);
  cudaDeviceSynchronize();
  for (int i = 0; i < 50; ++i) expect("chain", i, a[i], (i + 1) * (i + 2) / 2);
  hand_over<<<1, 64>>>(a);
  cudaDeviceSynchronize();
  expect("hand_over", 0, *a, 63);
  for (int i = 0; i < 1024; ++i) a[i] = i % 7;
  int n = 1024;
  void* arguments[] = {&a, &n};
  const cudaError_t error = cudaLaunchCooperativeKernel((const void*)scan, 16, 64, arguments, 0, 0);
  if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0, sum = 0; i < 1024; ++i) expect("scan", i, a[i], sum += i % 7);
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
