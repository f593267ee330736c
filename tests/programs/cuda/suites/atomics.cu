// libcu++: atomics of the device and of a block, and its types for device code.
#include <cuda/atomic>
#include <cuda/std/type_traits>
#include <cstdio>

using Counter = cuda::atomic<unsigned int, cuda::thread_scope_device>;
using Flag = cuda::atomic<bool, cuda::thread_scope_device>;

__global__ void count(Counter* total, Counter* largest, Flag* seen, unsigned int* order) {
  static_assert(cuda::std::is_same<decltype(total->load()), unsigned int>::value, "its value");
  __shared__ cuda::atomic<int, cuda::thread_scope_block> of_block;
  if (threadIdx.x == 0) of_block.store(0);
  __syncthreads();
  of_block.fetch_add(1, cuda::memory_order_relaxed);
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  order[i] = total->fetch_add(2);
  largest->fetch_max(i * 7 % 1000);
  seen[i % 8].store(true, cuda::memory_order_release);
  __syncthreads();
  unsigned int none = 0;
  if (threadIdx.x == 0) largest[1].compare_exchange_strong(none, (unsigned int)of_block.load());
}

int main() {
  const unsigned int blocks = 4, threads = 64, all = blocks * threads;
  Counter *total, *largest;
  Flag* seen;
  unsigned int* order;
  cudaMallocManaged(&total, sizeof(Counter));
  cudaMallocManaged(&largest, 2 * sizeof(Counter));
  cudaMallocManaged(&seen, 8 * sizeof(Flag));
  cudaMallocManaged(&order, all * sizeof *order);
  count<<<blocks, threads>>>(total, largest, seen, order);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  unsigned int sum = 0, most = 0, set = 0;
  for (unsigned int i = 0; i < all; ++i) sum += order[i], most = i * 7 % 1000 > most ? i * 7 % 1000 : most;
  for (int i = 0; i < 8; ++i) set += seen[i].load();
  const bool right = total->load() == 2 * all && sum == all * (all - 1) && largest[0].load() == most && largest[1].load() == threads && set == 8;
  std::printf(right ? "ok\n" : "%u %u %u %u %u\n", total->load(), sum, largest[0].load(), largest[1].load(), set);
  return !right;
}
