// A CUDA program that prepares 1,024 bytes in the way that its argument names, and lets kernels copy them.
#include <cstdio>
#include <cstring>

constexpr int kBytes = 1024, kItems = kBytes / 4;
__global__ void copy(int *to, const int *from) { to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void rows(int *to, const char *from, size_t pitch, int width) {
  if (threadIdx.x < width) to[blockIdx.x * blockDim.x + threadIdx.x] = *(const int *)(from + blockIdx.x * pitch + 4 * threadIdx.x);
}
__device__ int variable[kItems];
__global__ void of_variable(int *to) { to[blockIdx.x * blockDim.x + threadIdx.x] = variable[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void through(int *to, int **table) { to[blockIdx.x * blockDim.x + threadIdx.x] = table[1][blockIdx.x * blockDim.x + threadIdx.x]; }

static void run(int *to, const int *from) {
  copy<<<4, kItems / 4>>>(to, from);
  cudaDeviceSynchronize();
}

static void with_pitch(int *to, int width) {
  char *from, host[4 * 40 * 4] = {};
  size_t pitch;
  cudaMallocPitch(&from, &pitch, 40 * 4, 4);
  cudaMemcpy2D(from, pitch, host, 40 * 4, 40 * 4, 4, cudaMemcpyHostToDevice);
  rows<<<4, 64>>>(to, from, pitch, width);
  cudaFree(from);
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "nothing";
  const auto is = [&](const char *name) { return !std::strcmp(how, name); };
  static int host[kItems];
  for (int i = 0; i < kItems; ++i) host[i] = i * 37;
  int *to, *from = nullptr;
  cudaMalloc(&to, kBytes);
  if (is("managed")) {
    cudaMallocManaged(&from, kBytes);
  } else if (is("pinned")) {
    cudaMallocHost(&from, kBytes);
  } else if (std::strncmp(how, "async", 5) == 0) {
    cudaMallocAsync(&from, kBytes, 0);
    if (is("async_set")) cudaMemsetAsync(from, 0, kBytes, 0);
  } else {
    cudaMalloc(&from, kBytes);
  }
  if (is("written")) cudaMemcpy(from, host, kBytes, cudaMemcpyHostToDevice);
  if (is("half")) cudaMemcpy(from, host, kBytes / 2, cudaMemcpyHostToDevice);
  if (is("set")) cudaMemset(from, 0, kBytes);
  if (is("by_kernel")) {
    cudaMemset(to, 0, kBytes);
    run(from, to);
  }
  if (is("after_free")) {
    cudaMemset(from, 0, kBytes);
    run(to, from);
    cudaFree(from);
    cudaMalloc(&from, kBytes);
  }
  if (is("pitch")) {
    with_pitch(to, 40);
  } else if (is("padding")) {
    with_pitch(to, 64);
  } else if (is("variable")) {
    of_variable<<<4, 64>>>(to);
  } else if (is("table") || is("table_set")) {
    int **table, *entries[2] = {to, from};
    cudaMalloc(&table, sizeof(entries));
    cudaMemcpy(table, entries, sizeof(entries), cudaMemcpyHostToDevice);
    if (is("table_set")) cudaMemset(from, 0, kBytes);
    through<<<4, 64>>>(to, table);
    cudaFree(table);
  } else {
    run(to, from);
  }
  if (is("pinned"))
    cudaFreeHost(from);
  else if (!is("left"))
    cudaFree(from);
  cudaFree(to);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
