// Functions and headers of the toolkit that suites name in passing.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
#include <crt/host_defines.h>
#include <cuda_runtime.h>
#ifndef __clang__
#include <curand_kernel.h>  // which NVIDIA's curand_normal.h needs
#endif
#include <curand_normal.h>
#include <device_double_functions.h>
#include <host_config.h>
#include <sm_30_intrinsics.h>
#include <surface_types.h>
#include <vector_functions.hpp>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

int wrong = 0;
void expect(const char* what, bool is_right) {
  if (is_right) return;
  ++wrong;
  std::printf("%s: wrong\n", what);
}
void expect(const char* what, cudaError_t got, cudaError_t expected) {
  if (got != expected) std::printf("%s: %s\n", what, cudaGetErrorName(got));
  expect(what, got == expected);
}

constexpr int kThreads = 64;

/// Each thread's number, copied to shared memory by all, and scanned by tiles of 8 and by the odd threads of a warp.
__global__ void scans(const int* in, int* sums, int* before, int* least, int* of_odd) {
  __shared__ alignas(16) int copy[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, copy, in, sizeof(copy));
  cg::wait(block);
  const int me = threadIdx.x, value = copy[me];
  const auto tile = cg::tiled_partition<8>(block);
  sums[me] = cg::inclusive_scan(tile, value);
  before[me] = cg::exclusive_scan(tile, value);
  least[me] = cg::exclusive_scan(tile, value, cg::less<int>());
  if (me % 2 == 1) of_odd[me] = cg::inclusive_scan(cg::coalesced_threads(), value, cg::plus<int>());
}

void check_scans() {
  int *in, *out;
  cudaMallocManaged(&in, kThreads * sizeof(int));
  cudaMallocManaged(&out, 4 * kThreads * sizeof(int));
  for (int i = 0; i < kThreads; ++i) in[i] = 100 - i * i % 37;
  scans<<<1, kThreads>>>(in, out, out + kThreads, out + 2 * kThreads, out + 3 * kThreads);
  expect("scans", cudaDeviceSynchronize(), cudaSuccess);
  int sum = 0, least = 0, odd = 0;
  for (int i = 0; i < kThreads; ++i) {
    if (i % 8 == 0) sum = 0, least = 0x7fffffff;
    if (i % 32 == 0) odd = 0;
    expect("exclusive_scan", out[kThreads + i] == sum && out[2 * kThreads + i] == (i % 8 == 0 ? 0 : least));
    sum += in[i];
    least = in[i] < least ? in[i] : least;
    expect("inclusive_scan", out[i] == sum);
    if (i % 2 == 0) continue;
    odd += in[i];
    expect("inclusive_scan of some threads", out[3 * kThreads + i] == odd);
  }
}

/// 4 × 2 numbers: to an array, to another one, and back, in a stream and in a graph.
void check_arrays() {
  const int given[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int back[8] = {}, some[4] = {};
  const size_t row = 4 * sizeof(int);
  cudaArray_t one, other;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaMallocArray(&one, &ints, 4, 2);
  cudaMallocArray(&other, &ints, 4, 2);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  expect("to", cudaMemcpy2DToArrayAsync(one, 0, 0, given, row, row, 2, cudaMemcpyHostToDevice, stream), cudaSuccess);
  expect("between", cudaMemcpyArrayToArray(other, 0, 0, one, 0, 0, 2 * row), cudaSuccess);
  expect("too far", cudaMemcpyArrayToArray(other, 4, 0, one, 0, 0, 2 * row), cudaErrorInvalidValue);
  // The first two columns of `one` are the last two of `other`.
  expect("rows", cudaMemcpy2DArrayToArray(other, row / 2, 0, one, 0, 0, row / 2, 2), cudaSuccess);
  expect("back", cudaMemcpyFromArrayAsync(back, other, 0, 0, 2 * row, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  cudaStreamSynchronize(stream);
  const int expected[8] = {1, 2, 1, 2, 5, 6, 5, 6};
  expect("arrays", std::memcmp(back, expected, sizeof(back)) == 0);

  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyToArrayAsync(one, 0, 1, given, row, cudaMemcpyHostToDevice, stream);
  cudaMemcpy2DFromArrayAsync(some, row / 2, one, row / 2, 0, row / 2, 2, cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  expect("nothing yet", some[0] == 0);
  cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
  expect("graph", cudaGraphLaunch(ready, stream), cudaSuccess);
  expect("columns", some[0] == 3 && some[1] == 4 && some[2] == 3 && some[3] == 4);
}

void check_settings() {
  cudaStream_t stream, copy;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&copy);
  cudaStreamAttrValue value = {}, got = {};
  value.accessPolicyWindow.num_bytes = 4096;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  expect("set", cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  expect("copy", cudaStreamCopyAttributes(copy, stream), cudaSuccess);
  expect("get", cudaStreamGetAttribute(copy, cudaStreamAttributeAccessPolicyWindow, &got), cudaSuccess);
  expect("window", got.accessPolicyWindow.num_bytes == 4096);
  expect("reset", cudaCtxResetPersistingL2Cache(), cudaSuccess);

  int number = -1;
  expect("one device", cudaDeviceGetP2PAttribute(&number, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
  expect("attribute", cudaDeviceGetAttribute(&number, cudaDevAttrHostRegisterSupported, 0), cudaSuccess);
  expect("host memory", number == 1);
#if CUDART_VERSION < 13000
  size_t bytes = 0;
  expect("limit", cudaThreadSetLimit(cudaLimitStackSize, 2048), cudaSuccess);
  expect("limit", cudaThreadGetLimit(&bytes, cudaLimitStackSize), cudaSuccess);
  expect("stack", bytes == 2048);
#endif

  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  expect("access", cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  expect("access", cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
  expect("flags", flags == cudaMemAccessFlagsProtReadWrite);
  access.location.id = 1;
  expect("another device", cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
}

int main() {
  check_scans();
  check_arrays();
  check_settings();
  std::printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
