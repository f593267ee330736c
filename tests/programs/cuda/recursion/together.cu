// Barriers and warp functions in recursive functions, and around them.
#include <cstdio>

constexpr int kThreads = 64;

// Halves of the block's values are added; all threads go as deep.
__device__ int halves(int* tile, int width) {
  if (width == 0) return tile[0];
  if (threadIdx.x < width) tile[threadIdx.x] += tile[threadIdx.x + width];
  __syncthreads();
  return width - 2 * halves(tile, width / 2);
}
// Only some lanes go on: those that do vote.
__device__ unsigned thinned(unsigned mask, int depth) {
  const unsigned odd = __ballot_sync(mask, (threadIdx.x >> depth) & 1);
  if (depth == 3 || !((odd >> threadIdx.x % 32) & 1)) return odd;
  return odd - 3 * thinned(odd, depth + 1);
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void sums(const int* in, int* out) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = halves(tile, kThreads / 2);
}
__global__ void votes(unsigned* out) { out[threadIdx.x] = thinned(0xffffffff, 0); }
__global__ void around(int* p) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = fibonacci(threadIdx.x % 10);
  __syncthreads();
  p[threadIdx.x] = tile[kThreads - 1 - threadIdx.x] + fibonacci(p[threadIdx.x]);
}

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int nested(int sum) {
  int result = sum;
  for (int width = 1; width <= kThreads / 2; width *= 2) result = width - 2 * result;
  return result;
}
unsigned vote(unsigned mask, int depth, int thread) {
  unsigned odd = 0;
  for (int lane = 0; lane < 32; ++lane) odd |= ((mask >> lane) & (lane >> depth) & 1u) << lane;
  if (depth == 3 || !((odd >> thread % 32) & 1)) return odd;
  return odd - 3 * vote(odd, depth + 1, thread);
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 2 * kThreads * sizeof(int));
  cudaMallocManaged(&out, 2 * kThreads * sizeof(int));
  int sum[2] = {0, 0}, wrong = 0;
  for (int i = 0; i < 2 * kThreads; ++i) sum[i / kThreads] += in[i] = i * i % 91;
  sums<<<2, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 2 * kThreads; ++i) wrong += out[i] != nested(sum[i / kThreads]);
  votes<<<1, kThreads>>>((unsigned*)out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) wrong += (unsigned)out[i] != vote(0xffffffff, 0, i);
  for (int i = 0; i < kThreads; ++i) out[i] = i % 7;
  around<<<1, kThreads>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) wrong += out[i] != fib((kThreads - 1 - i) % 10) + fib(i % 7);
  printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
