// Misuse of the runtime: a line per call with the error that CUDA's documentation gives.
#include <cstdio>
#include <vector>

__global__ void fill(int* p) {
  p[threadIdx.x] = threadIdx.x;
}
__device__ int variable;
int host_variable;

static void say(const char* what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}
template <class Launch>
static void launched(const char* what, Launch launch) {
  launch();
  say(what, cudaGetLastError());
}

int main() {
  int *device = nullptr, host[64] = {}, number = 0;
  size_t bytes = 0;
  say("malloc", cudaMalloc(&device, sizeof(host)));
  say("malloc into null", cudaMalloc((void**)nullptr, 4));
  say("malloc of 2^60", cudaMalloc((void**)&number, size_t(1) << 60));
  say("copy to the host's memory", cudaMemcpy(host, host, sizeof(host), cudaMemcpyHostToDevice));
  say("copy beyond the end", cudaMemcpy(device, host, sizeof(host) + 4, cudaMemcpyHostToDevice));
  say("copy in no direction", cudaMemcpy(device, host, 4, (cudaMemcpyKind)9));
  say("copy of nothing", cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
  say("rows wider than the pitch", cudaMemcpy2D(device, 8, host, 8, 16, 2, cudaMemcpyHostToDevice));
  say("rows a pitch of -1 apart", cudaMemcpy2D(device, -1, host, 8, 8, 2, cudaMemcpyHostToDevice));
  say("rows of the host so far apart", cudaMemcpy2D(device, 8, host, -1, 8, 2, cudaMemcpyHostToDevice));
  say("set rows so far apart", cudaMemset2D(device, size_t(1) << 31, 0, 8, 2));
  say("set beyond the end", cudaMemset(device, 0, sizeof(host) + 1));
  say("symbol", cudaMemcpyToSymbol(variable, host, 4));
  say("symbol beyond its end", cudaMemcpyToSymbol(variable, host, 4, 4));
  say("no symbol", cudaMemcpyToSymbol(host_variable, host, 4));
  say("symbol by its name", cudaMemcpyToSymbol("variable", host, 4));
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  int* managed = nullptr;
  cudaMallocManaged(&managed, 64);
  say("prefetch to a place", cudaMemPrefetchAsync(managed, 64, here, 0));
  say("prefetch with flags", cudaMemPrefetchAsync(managed, 64, here, 1));
  say("device 7", cudaSetDevice(7));
  say("unknown attribute", cudaDeviceGetAttribute(&number, (cudaDeviceAttr)9999, 0));
  launched("1025 threads", [&] { fill<<<1, 1025>>>(device); });
  launched("no blocks", [&] { fill<<<0, 32>>>(device); });
  launched("2^31 blocks", [&] { fill<<<1u << 31, 32>>>(device); });
  launched("65 in z", [&] { fill<<<1, dim3(1, 1, 65)>>>(device); });
  launched("49 KiB of shared memory", [&] { fill<<<1, 32, 49 * 1024>>>(device); });
  say("no kernel", cudaLaunchKernel((const void*)&host_variable, dim3(1), dim3(1), nullptr, 0, nullptr));
  say("attributes of no kernel",
      cudaFuncSetAttribute((const void*)&host_variable, cudaFuncAttributeMaxDynamicSharedMemorySize, 4));
  say("96 KiB allowed", cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
  launched("96 KiB of shared memory", [&] { fill<<<1, 32, 96 * 1024>>>(device); });
  cudaStream_t stream;
  cudaEvent_t event;
  float milliseconds;
  say("stream", cudaStreamCreate(&stream));
  say("destroy the stream", cudaStreamDestroy(stream));
  say("destroy it again", cudaStreamDestroy(stream));
  say("event", cudaEventCreate(&event));
  say("elapsed before it is recorded", cudaEventElapsedTime(&milliseconds, event, event));
  say("free the middle", cudaFree(device + 4));
  say("free", cudaFree(device));
  say("free again", cudaFree(device));
  say("free null", cudaFree(nullptr));
  say("free the host's", cudaFree(host));
  say("memory", cudaMemGetInfo(&bytes, &bytes));
  cudaMalloc(&device, size_t(1) << 60);
  say("peek", cudaPeekAtLastError());
  say("then nothing", cudaGetLastError());
  printf("%s\n", cudaGetErrorString(cudaErrorInvalidConfiguration));
  return 0;
}
