// What a program asks of device code: variables with values, managed ones, text, memory that outlives a launch, functions by pointers, dynamic shared
// memory, structures as arguments, cooperation of all work-groups, graphs, streams. Each line says what arithmetic expects, too.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int primes[4] = {2, 3, 5, 7};
__constant__ double weights[3];
__managed__ int shared_by_host = 5;

struct Window {
  const int* data;
  int first, count;
};

__global__ void sum_window(Window window, long long* sum) {
  extern __shared__ long long parts[];
  long long own = 0;
  for (int i = threadIdx.x; i < window.count; i += blockDim.x) own += window.data[window.first + i];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = parts[0] * primes[3] + shared_by_host;
}

__global__ void change(double* out) {
  primes[threadIdx.x] += 10;
  if (threadIdx.x == 0) {
    *out = weights[0] + weights[1] * weights[2];
    shared_by_host *= 2;
  }
}

__global__ void allocate(int** kept) {
  int* const own = static_cast<int*>(malloc(sizeof(int) * 4));
  for (int i = 0; i < 4; ++i) own[i] = static_cast<int>(threadIdx.x) * 4 + i;
  kept[threadIdx.x] = own;
}

__global__ void release(int** kept, int* sums) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += kept[threadIdx.x][i];
  sums[threadIdx.x] = sum;
  free(kept[threadIdx.x]);
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
typedef int (*Operation)(int);
__device__ Operation operations[2] = {twice, square};

__global__ void call(int* out, int which) { out[threadIdx.x] = operations[(threadIdx.x + which) % 2](threadIdx.x + 1); }

__global__ void call_other(int* out) { out[threadIdx.x] = operations[threadIdx.x % 2](3); }

__global__ void meet(int* values, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) values[i] = i;
  grid.sync();
  if (grid.thread_rank() != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  values[0] = sum;
}

template <class T>
__global__ void fill(T* to, T value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void speak(const char* name) { printf("%s %d %.2f %s\n", "thread", static_cast<int>(threadIdx.x), 0.25 * threadIdx.x, name == nullptr ? "-" : name); }

template <class T>
T read(const T* from) {
  T value;
  cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}

void variables() {
  std::vector<int> values(1000);
  for (int i = 0; i < 1000; ++i) values[i] = i;
  int* data = nullptr;
  long long* sum = nullptr;
  double* out = nullptr;
  cudaMalloc(&data, sizeof(int) * values.size());
  cudaMalloc(&sum, sizeof(*sum));
  cudaMalloc(&out, sizeof(*out));
  cudaMemcpy(data, values.data(), sizeof(int) * values.size(), cudaMemcpyHostToDevice);
  sum_window<<<1, 128, 128 * sizeof(long long)>>>({data, 10, 900}, sum);
  printf("window %lld, expected %lld\n", read(sum), (10LL + 909) * 450 * 7 + 5);
  const double host[3] = {1.5, 2, 3};
  cudaMemcpyToSymbol(weights, host, sizeof(host));
  change<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  int now[4];
  cudaMemcpyFromSymbol(now, primes, sizeof(now));
  printf("variables %g %d %d, expected 7.5 10 17\n", read(out), shared_by_host, now[3]);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, primes);
  printf("address %d, expected 13\n", read(static_cast<int*>(address) + 1));
}

void memory() {
  int **kept = nullptr, *sums = nullptr, host[32], wrong = 0;
  cudaMalloc(&kept, sizeof(int*) * 32);
  cudaMalloc(&sums, sizeof(host));
  allocate<<<1, 32>>>(kept);
  release<<<1, 32>>>(kept, sums);
  cudaMemcpy(host, sums, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) wrong += host[i] != 16 * i + 6;
  printf("malloc %d wrong\n", wrong);
}

void functions() {
  int *out = nullptr, host[32], wrong = 0;
  cudaMalloc(&out, sizeof(host));
  call<<<1, 32>>>(out, 1);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) wrong += host[i] != (i % 2 == 1 ? 2 * (i + 1) : (i + 1) * (i + 1));
  call_other<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) wrong += host[i] != (i % 2 == 0 ? 6 : 9);
  printf("functions %d wrong\n", wrong);
}

void cooperation() {
  int *values = nullptr, n = 1000;
  cudaMalloc(&values, sizeof(int) * static_cast<unsigned>(n));
  void* arguments[] = {&values, &n};
  const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(meet), 4, 64, arguments);
  printf("cooperation %d %s, expected 499500\n", read(values), cudaGetErrorString(error));
}

void graphs() {
  float* data = nullptr;
  cudaMalloc(&data, sizeof(float) * 64);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<float><<<2, 32, 0, stream>>>(data, 2.5F);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  printf("graph %g, expected 2.5\n", read(data + 63));
}

int main() {
  variables();
  memory();
  functions();
  cooperation();
  graphs();
  speak<<<1, 2>>>(nullptr);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<int>, 256, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&meet));
  printf("PTX %d, code %d\n", attributes.ptxVersion, attributes.binaryVersion);
  printf("%d blocks, %s\n", blocks, attributes.numRegs > 0 && attributes.numRegs <= 255 ? "registers known" : "no registers");
  return cudaDeviceSynchronize() != cudaSuccess;
}
