// libcu++'s barriers and pipelines in shared memory. Prints how many results are wrong.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int threads = 64, rounds = 4;

__global__ void arrive_and_wait(const int *in, int *out) {
  __shared__ Barrier ready;
  __shared__ int part[2][threads];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&ready, block.size());
  block.sync();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    cuda::memcpy_async(block, part[r % 2], in + r * threads, sizeof part[0], ready);
    ready.arrive_and_wait();
    sum += part[r % 2][threads - 1 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

__global__ void arrive_then_wait(const int *in, int *out) {
  __shared__ Barrier ready;
  __shared__ int part[threads];
  if (threadIdx.x == 0)
    init(&ready, blockDim.x);
  __syncthreads();
  part[threadIdx.x] = in[threadIdx.x];
  auto token = ready.arrive();
  const int own = 100 * threadIdx.x;
  ready.wait(std::move(token));
  out[threadIdx.x] = own + part[(threadIdx.x + 33) % threads];
}

__global__ void stages(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int part[2][threads];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int fetched = 0, r = 0; r < rounds; ++r) {
    for (; fetched < rounds && fetched < r + 2; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, part[fetched % 2], in + fetched * threads, sizeof part[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += part[r % 2][threads - 1 - threadIdx.x];
    pipe.consumer_release();
    block.sync();
  }
  out[threadIdx.x] = sum;
}

int main() {
  int h[rounds * threads], got[threads], *in, *out, wrong = 0;
  for (int i = 0; i < rounds * threads; ++i)
    h[i] = i * i;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof got);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  for (auto kernel : {arrive_and_wait, stages}) {
    kernel<<<1, threads>>>(in, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < threads; ++i) {
      int sum = 0;
      for (int r = 0; r < rounds; ++r)
        sum += h[r * threads + threads - 1 - i];
      wrong += got[i] != sum;
    }
  }
  arrive_then_wait<<<1, threads>>>(in, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < threads; ++i)
    wrong += got[i] != 100 * i + h[(i + 33) % threads];
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
}
