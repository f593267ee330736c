// Atomics of a block and of the system, agreement in a warp, a block's place in the grid. Prints how many results are wrong.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
constexpr int blocks = 6, threads = 64;
#if CUDART_VERSION < 12000
texture<int, 1> texels;
#else  // which has no references of textures
#define cudaBindTexture(...)
#define cudaUnbindTexture(...)
#endif

__global__ void count(unsigned *counters) {
  atomicInc_system(&counters[0], 9); // 0, 1, ..., 9, 0
  atomicDec_system(&counters[1], 9); // 9, 8, ..., 0, 9
  atomicInc_block(&counters[2], 6);
  atomicDec_block(&counters[3], 6);
  __prof_trigger(0);
}

__global__ void agree(unsigned *out) {
  const int lane = threadIdx.x % 32;
  int all = -1, some = -1;
  const unsigned equal = __match_all_sync(~0u, 3.5, &all);
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  const unsigned halves = __match_all_sync(half, lane < 16 ? 1ull : lane % 2, &some);
  const cg::grid_group grid = cg::this_grid();
  const unsigned long long place = grid.block_rank() * threads + threadIdx.x;
  out[place] = (equal == ~0u) + 2 * (all != 0) + 4 * (halves == (lane < 16 ? half : 0u)) + 8 * ((some != 0) == (lane < 16)) +
               16 * (grid.thread_rank() == place) + 32 * (grid.num_blocks() == blocks) + 64 * (grid.dim_blocks().y == 2) + 128 * (grid.block_index().x == blockIdx.x);
}

int main() {
  unsigned *counters, *out, got[4], results[blocks * threads], wrong = 0;
  cudaMalloc(&counters, sizeof got);
  cudaMalloc(&out, sizeof results);
  cudaMemset(counters, 0, sizeof got);
  cudaBindTexture(nullptr, &texels, counters, &texels.channelDesc, sizeof got);
  count<<<blocks, threads>>>(counters);
  cudaUnbindTexture(&texels);
  cudaMemcpy(got, counters, sizeof got, cudaMemcpyDeviceToHost);
  unsigned expected[4] = {};
  for (int i = 0; i < blocks * threads; ++i) {
    const unsigned limits[2] = {9, 6};
    for (int k = 0; k < 2; ++k) {
      unsigned &up = expected[2 * k], &down = expected[2 * k + 1];
      up = up >= limits[k] ? 0 : up + 1;
      down = down == 0 ? limits[k] : down - 1;
    }
  }
  for (int i = 0; i < 4; ++i)
    wrong += got[i] != expected[i];
  agree<<<dim3(3, 2), threads>>>(out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  for (unsigned result : results)
    wrong += result != 255;
  std::printf("%u wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
}
