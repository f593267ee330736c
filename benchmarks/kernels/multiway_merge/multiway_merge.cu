// Merges K sorted lists per block of one warp with a heap of blocks of keys: multiway_merge.cl in CUDA.
#include <cuda_runtime.h>

#define WIDTH 32
#define NONE 0xffffffffu

__device__ void refill(unsigned int (*node)[WIDTH], unsigned int* taken, const unsigned int* lists,
                       const unsigned int* base, unsigned int length, unsigned int lane, unsigned int empty) {
  while (empty < K) {
    const unsigned int left = 2 * empty;
    const unsigned int right = left + 1;
    const unsigned int a = node[left][lane];
    const unsigned int b = node[right][WIDTH - 1 - lane];
    const bool keeps_left = node[left][WIDTH - 1] > node[right][WIDTH - 1];
    const unsigned int full = keeps_left ? left : right;
    unsigned int low = min(a, b);
    unsigned int high = max(a, b);
    for (unsigned int distance = WIDTH / 2; distance > 0; distance /= 2) {
      __syncthreads();
      node[empty][lane] = low;
      node[full][lane] = high;
      __syncthreads();
      const unsigned int other_low = node[empty][lane ^ distance];
      const unsigned int other_high = node[full][lane ^ distance];
      const bool is_upper = (lane & distance) != 0;
      low = is_upper ? max(low, other_low) : min(low, other_low);
      high = is_upper ? max(high, other_high) : min(high, other_high);
    }
    __syncthreads();
    node[empty][lane] = low;
    node[full][lane] = high;
    empty = keeps_left ? right : left;
  }
  const unsigned int list = empty - K;
  __syncthreads();
  const unsigned int place = taken[list];
  node[empty][lane] = place < length ? base[list] + lists[list * length + place + lane] : NONE;
  __syncthreads();
  if (lane == 0) taken[list] = place + WIDTH;
  __syncthreads();
}

__global__ void multiway_merge(const unsigned int* lists, const unsigned int* base, unsigned int* out,
                               unsigned int length) {
  __shared__ unsigned int node[2 * K][WIDTH];
  __shared__ unsigned int taken[K];
  const unsigned int lane = threadIdx.x;
  const unsigned int group = blockIdx.x;
  lists += group * K * length;
  base += group * K;
  out += group * K * length;
  if (lane < K) taken[lane] = 0;
  for (unsigned int empty = 2 * K - 1; empty > 0; --empty) refill(node, taken, lists, base, length, lane, empty);
  for (unsigned int written = 0; written < K * length; written += WIDTH) {
    out[written + lane] = node[1][lane];
    refill(node, taken, lists, base, length, lane, 1);
  }
}
