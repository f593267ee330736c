// What CUDA programs are made of: every result is compared with the host's own.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#if CUDART_VERSION < 13000
#include <nvToolsExt.h>
#else
#include <nvtx3/nvToolsExt.h>
#endif

#include <cstdio>
#include <numeric>
#include <vector>
namespace cg = cooperative_groups;

static int failures = 0;
static void expect(const char* what, double got, double wanted) {
  if (got == wanted) return;
  printf("%s: %g, expected %g\n", what, got, wanted);
  ++failures;
}
#define CHECK(call) expect(#call, (call), cudaSuccess)

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__managed__ int total = 5;
namespace {
__device__ unsigned tickets;
struct View {
  float* data;
  int count;
  __device__ float& at(int i) { return data[i]; }
};
template <class T>
__global__ void weigh(View view, T factor, bool really) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= view.count || !really) return;
  view.at(i) += factor * weights[i & 3];
  atomicAdd(&counter, 1);
  atomicAdd(&total, 2);
}
}  // namespace
__global__ void reverse(float* x) {
  extern __shared__ float block[];
  block[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}
template <class F>
__global__ void apply(float* x, F f) {
  x[threadIdx.x] = f(x[threadIdx.x]);
}
__global__ void pitched(char* base, size_t pitch, int width) {
  float* row = (float*)(base + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = blockIdx.x * 100 + i;
}

void variables_and_templates() {
  const int n = 512;
  std::vector<float> host(n);
  std::iota(host.begin(), host.end(), 0.0f);
  float* device;
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  CHECK(cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  weigh<float><<<4, 128>>>({device, n}, 2.0f, true);
  const float changed[4] = {0, 0, 0, 10};
  CHECK(cudaMemcpyToSymbol(weights, changed, sizeof(changed)));
  weigh<<<4, 128>>>(View{device, n - 1}, 1, true);
  reverse<<<4, 128, 128 * sizeof(float)>>>(device);
  const float factor = 3;
  apply<<<1, 128>>>(device, [=] __device__(float v) { return v * factor; });
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
  expect("first", host[0], 3 * (127 + 2 * 4 + 10));  // the block's last, with the fourth weight
  expect("last of the first block", host[127], 3 * (0 + 2 * 1));
  expect("second block", host[128], 255 + 2 * 4 + 10);
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
  expect("counter", count, 7 + n + n - 1);
  expect("total", total, 5 + 2 * (n + n - 1));
  CHECK(cudaFree(device));
}

void memory() {
  const int width = 70, height = 5;
  char* base;
  size_t pitch;
  CHECK(cudaMallocPitch(&base, &pitch, width * sizeof(float), height));
  expect("pitch", pitch % 512, 0);
  pitched<<<height, 32>>>(base, pitch, width);
  float dense[height][width];
  CHECK(cudaMemcpy2D(dense, sizeof(dense[0]), base, pitch, sizeof(dense[0]), height, cudaMemcpyDeviceToHost));
  expect("pitched", dense[4][69], 469);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(width, height, 3)));
  CHECK(cudaMemset3D(box, 7, make_cudaExtent(width, height, 3)));
  std::vector<char> out(width * height * 3);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(out.data(), width, width, height);
  copy.extent = make_cudaExtent(width, height, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  expect("box", std::accumulate(out.begin(), out.end(), 0), 7 * width * height * 3);
  float *pinned, *same;
  CHECK(cudaHostAlloc(&pinned, 128 * sizeof(float), cudaHostAllocMapped));
  std::fill(pinned, pinned + 128, 2.0f);
  CHECK(cudaHostGetDevicePointer(&same, pinned, 0));
  apply<<<1, 128>>>(same, [] __device__(float v) { return v + 1; });
  expect("mapped", pinned[127], 3);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, base));
  expect("kind of memory", attributes.type, cudaMemoryTypeDevice);
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(base));
  CHECK(cudaFree(box.ptr));
}

__device__ int warp_sum(int v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}
__global__ void sums(const int* in, int* out, int n) {
  __shared__ int partial[32];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int v = 0;
  for (int i = block.thread_rank(); i < n; i += block.size()) v += in[i];
  const int all = cg::reduce(tile, v, cg::plus<int>());
  v = warp_sum(v);
  if (tile.thread_rank() == 0) {
    partial[tile.meta_group_rank()] = v;
    atomicAdd(out + 1, all);
  }
  block.sync();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[0] = v;
  }
}
__global__ void compact(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) {
    auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(count, active.size());
    out[active.shfl(first, 0) + active.thread_rank()] = in[i];
  }
}
// As kernels before Volta do it: no barrier within a warp.
__global__ void in_step(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int offset = 32; offset > 0; offset /= 2) s[t] += s[t + offset];
    if (t == 0) *out = s[0];
  }
}
__global__ void last_block(const int* in, volatile int* partial, int* out) {
  __shared__ bool is_last;
  int sum = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 32; ++i) sum += in[blockIdx.x * 32 + i];
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
}

void warps_and_order() {
  const int n = 1000;
  int *in, *out, *kept;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, 8 * sizeof(int)));
  CHECK(cudaMallocManaged(&kept, n * sizeof(int)));
  std::iota(in, in + n, 1);
  std::fill(out, out + 8, 0);
  sums<<<1, 256>>>(in, out, n);
  compact<<<4, 256>>>(in, kept, out + 2, n);
  in_step<<<1, 64>>>(in, out + 3);
  last_block<<<16, 64>>>(in, kept + 512, out + 4);
  CHECK(cudaDeviceSynchronize());
  expect("shuffles", out[0], n * (n + 1) / 2);
  expect("cg::reduce", out[1], n * (n + 1) / 2);
  expect("coalesced groups", out[2], n / 3);
  expect("kept", std::accumulate(kept, kept + n / 3, 0), 3 * (n / 3) * (n / 3 + 1) / 2);
  expect("in step", out[3], 64 * 65 / 2);
  expect("last block", out[4], 512 * 513 / 2);
  for (int* p : {in, out, kept}) CHECK(cudaFree(p));
}

void streams() {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  float milliseconds = -1;
  int called = 0;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, stream));
  float* device;
  CHECK(cudaMallocAsync(&device, 4096, stream));
  CHECK(cudaMemsetAsync(device, 0, 4096, stream));
  apply<<<1, 128, 0, stream>>>(device, [] __device__(float v) { return v - 1; });
  CHECK(cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t, void* data) { ++*(int*)data; }, &called, 0));
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamWaitEvent(stream, end, 0));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  expect("elapsed", milliseconds >= 0, true);
  expect("callback", called, 1);
  CHECK(cudaFreeAsync(device, stream));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  nvtxRangePush("variables");
  variables_and_templates();
  nvtxRangePop();
  memory();
  warps_and_order();
  streams();
  int grid = 0, block = 0, blocks = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, pitched));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pitched, 1024, 0));
  expect("blocks of 1024 threads", blocks, 2);  // 2048 threads fit on an H100's core
  expect("largest block", block, 1024);
  puts(failures == 0 ? "ok" : "failed");
  return failures;
}
