// Copies by tensor maps for im2col, of three, four and five dimensions: to shared memory with offsets, from it without, and sums. Expected is what loops over
// numbers of pixels find, from the definition of the PTX ISA ("Tensors", im2col mode). nvcc for sm_90 only.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kMostBytes = 16384;
struct Where {
  int at[5];
  unsigned short offsets[3];
  int bytes;
};

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

#define BARRIER(expected)                                                                                                        \
  if (threadIdx.x == 0) {                                                                                                        \
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)));                                           \
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");                            \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(expected) : "memory"); \
  }
#define WAIT asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(shared_address(&barrier)) : "memory")
#define LOAD(n) "cp.async.bulk.tensor." #n "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
#define STORE(n) "cp.async.bulk.tensor." #n "d.global.shared::cta.im2col_no_offs.bulk_group "
#define SUM(n) "cp.reduce.async.bulk.tensor." #n "d.global.shared::cta.add.im2col_no_offs.bulk_group "

template <int Dimensions>
__global__ void load(const __grid_constant__ CUtensorMap map, Where w, unsigned char* out) {
  __shared__ alignas(1024) unsigned char box[kMostBytes];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned to = shared_address(box), by = shared_address(&barrier);
  BARRIER(w.bytes)
  if (threadIdx.x == 0) {
    if constexpr (Dimensions == 3) {
      asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%0, {%1, %2, %3}], {%4};" ::"l"(&map), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "h"(w.offsets[0]));
      asm volatile(LOAD(3) "[%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(to), "l"(&map), "r"(by), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "h"(w.offsets[0]) : "memory");
    } else if constexpr (Dimensions == 4) {
      asm volatile(LOAD(4) "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to), "l"(&map), "r"(by), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "r"(w.at[3]), "h"(w.offsets[0]),
                   "h"(w.offsets[1]) : "memory");
    } else {
      asm volatile(LOAD(5) "[%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(to), "l"(&map), "r"(by), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "r"(w.at[3]), "r"(w.at[4]),
                   "h"(w.offsets[0]), "h"(w.offsets[1]), "h"(w.offsets[2]) : "memory");
    }
  }
  __syncthreads();
  WAIT;
  for (int i = threadIdx.x; i < w.bytes; i += blockDim.x) out[i] = box[i];
}

/// Number 0 of a cluster of two loads for both.
__global__ void __cluster_dims__(2) both(const __grid_constant__ CUtensorMap map, Where w, unsigned char* out) {
  __shared__ alignas(1024) unsigned char box[kMostBytes];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned to = shared_address(box), by = shared_address(&barrier);
  BARRIER(w.bytes)
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (blockIdx.x == 0 && threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10}, %11;" ::"r"(to),
                 "l"(&map), "r"(by), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "r"(w.at[3]), "r"(w.at[4]), "h"(w.offsets[0]), "h"(w.offsets[1]), "h"(w.offsets[2]),
                 "h"(static_cast<unsigned short>(3)) : "memory");
  WAIT;
  for (int i = threadIdx.x; i < w.bytes; i += blockDim.x) out[blockIdx.x * w.bytes + i] = box[i];
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

template <int Dimensions, bool Adds>
__global__ void store(const __grid_constant__ CUtensorMap map, Where w, const unsigned char* in) {
  __shared__ alignas(1024) unsigned char box[kMostBytes];
  for (int i = threadIdx.x; i < w.bytes; i += blockDim.x) box[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned from = shared_address(box);
#define PUT(HOW)                                                                                                                                                                 \
  if constexpr (Dimensions == 3)                                                                                                                                                 \
    asm volatile(HOW(3) "[%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(from), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]) : "memory");                                                \
  else if constexpr (Dimensions == 4)                                                                                                                                            \
    asm volatile(HOW(4) "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map), "r"(from), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "r"(w.at[3]) : "memory");                              \
  else                                                                                                                                                                           \
    asm volatile(HOW(5) "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&map), "r"(from), "r"(w.at[0]), "r"(w.at[1]), "r"(w.at[2]), "r"(w.at[3]), "r"(w.at[4]) : "memory");
  if constexpr (Adds) {
    PUT(SUM)
  } else {
    PUT(STORE)
  }
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

static int wrong = 0;
static void expect(const char* what, long got, long expected) {
  if (got == expected) return;
  if (++wrong < 30) std::printf("%s: %ld, expected %ld\n", what, got, expected);
}

/// An image of `dimensions` - 2 dimensions, in `images`; sizes and corners from W on.
struct Case {
  const char* name;
  int dimensions;
  cuuint64_t sizes[5];
  int lower[3], upper[3];
  unsigned channels, pixels, steps[5];
  int first[5];
  unsigned short offsets[3];
  CUtensorMapSwizzle swizzle;
  bool nan;
};

static const Case kCases[] = {
    {"row", 3, {8, 9, 3}, {-1}, {-1}, 4, 25, {1, 1, 1}, {2, 4, 0}, {2}, CU_TENSOR_MAP_SWIZZLE_NONE, false},
    {"row behind the last image", 3, {8, 9, 3}, {0}, {-2}, 8, 20, {1, 1, 1}, {0, 2, 1}, {1}, CU_TENSOR_MAP_SWIZZLE_32B, true},
    {"wide corners", 3, {4, 1000, 2}, {300}, {-400}, 4, 700, {1, 1, 1}, {0, 500, 0}, {399}, CU_TENSOR_MAP_SWIZZLE_NONE, false},
    {"same size", 4, {40, 9, 14, 4}, {-1, -1}, {-1, -1}, 8, 64, {1, 1, 1, 1}, {24, 7, 4, 0}, {0, 0}, CU_TENSOR_MAP_SWIZZLE_32B, false},
    {"corners that differ", 4, {16, 7, 5, 3}, {-2, 1}, {1, -1}, 16, 100, {1, 1, 1, 1}, {8, 3, 2, 1}, {2, 1}, CU_TENSOR_MAP_SWIZZLE_64B, false},
    {"steps", 4, {32, 9, 14, 3}, {-1, -1}, {-1, -1}, 32, 80, {1, 2, 3, 1}, {0, 3, 2, 0}, {1, 2}, CU_TENSOR_MAP_SWIZZLE_128B, true},
    {"far offsets", 4, {8, 300, 3, 2}, {-128, 0}, {-128, 0}, 4, 400, {1, 1, 1, 1}, {4, -120, 1, 0}, {255, 0}, CU_TENSOR_MAP_SWIZZLE_NONE, true},
    {"volumes", 5, {8, 5, 4, 3, 2}, {-1, -2, 0}, {-1, 1, -1}, 8, 200, {1, 1, 1, 1, 1}, {0, 2, -1, 1, 0}, {1, 2, 1}, CU_TENSOR_MAP_SWIZZLE_32B, false},
    {"volumes with steps", 5, {12, 7, 6, 9, 3}, {-3, 0, -16}, {0, 2, 15}, 4, 333, {1, 3, 2, 5, 1}, {8, 0, 4, 4, 0}, {4, 0, 9}, CU_TENSOR_MAP_SWIZZLE_NONE, true},
};

static int stride_of(const Case& c, int d) {
  int bytes = (static_cast<int>(c.sizes[0]) * 4 + 15) / 16 * 16 + 16;  // rows have a gap
  for (int i = 1; i < d; ++i) bytes *= static_cast<int>(c.sizes[i]);
  return d == 0 ? 4 : bytes;
}
static int tensor_bytes(const Case& c) { return stride_of(c, c.dimensions - 1) * static_cast<int>(c.sizes[c.dimensions - 1]); }

/// Calls f(byte in shared memory, byte of the tensor or -1) for each element: the pixels are numbered from the first one of the first image's box on.
template <class F>
static void each(const Case& c, bool with_offsets, F f) {
  const int axes = c.dimensions - 2;
  long counts[3] = {1, 1, 1}, number = 0, weight = 1;
  for (int a = 0; a < axes; ++a) {
    const long last = static_cast<long>(c.sizes[a + 1]) - 1 + c.upper[a];
    counts[a] = (last - c.lower[a]) / c.steps[a + 1] + 1;
    number += (c.first[a + 1] - c.lower[a]) / static_cast<int>(c.steps[a + 1]) * weight;
    weight *= counts[a];
  }
  number += c.first[axes + 1] * weight;
  const int width = 16 << c.swizzle;
  for (unsigned pixel = 0; pixel < c.pixels; ++pixel)
    for (unsigned channel = 0; channel < c.channels; ++channel) {
      long rest = number + pixel, place = 0;
      bool inside = true;
      for (int d = 0; d < c.dimensions; ++d) {
        long at = c.first[0] + channel;
        if (d > axes) at = rest;
        if (d > 0 && d <= axes) {
          at = c.lower[d - 1] + rest % counts[d - 1] * c.steps[d] + (with_offsets ? c.offsets[d - 1] : 0);
          rest /= counts[d - 1];
        }
        inside = inside && at >= 0 && at < static_cast<long>(c.sizes[d]);
        place += at * stride_of(c, d);
      }
      int byte = static_cast<int>((pixel * c.channels + channel) * 4);
      if (c.swizzle != CU_TENSOR_MAP_SWIZZLE_NONE) {
        const int row = byte / width, chunk = byte % width / 16;
        const int turn = c.swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? row % 8 : c.swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? row / 2 % 4 : row / 4 % 2;
        byte = row * width + (chunk ^ turn) * 16 + byte % 16;
      }
      f(byte, inside ? static_cast<int>(place) : -1);
    }
}

static CUtensorMap map_of(const Case& c, void* data) {
  CUtensorMap map;
  cuuint64_t strides[4];
  for (int d = 1; d < c.dimensions; ++d) strides[d - 1] = static_cast<cuuint64_t>(stride_of(c, d));
  const CUresult got = cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, c.dimensions, data, c.sizes, strides, c.lower, c.upper, c.channels, c.pixels, c.steps,
                                               CU_TENSOR_MAP_INTERLEAVE_NONE, c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                               c.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  expect(c.name, got, CUDA_SUCCESS);
  return map;
}

static Where where_of(const Case& c) {
  Where w;
  std::memcpy(w.at, c.first, sizeof w.at);
  std::memcpy(w.offsets, c.offsets, sizeof w.offsets);
  w.bytes = static_cast<int>(c.channels * c.pixels * 4);
  return w;
}

static float number_at(const unsigned char* bytes, int at) {
  float number;
  std::memcpy(&number, bytes + at, 4);
  return number;
}

static void loads(const Case& c) {
  unsigned char *data, *out;
  const Where w = where_of(c);
  cudaMallocManaged(&data, static_cast<std::size_t>(tensor_bytes(c)));
  cudaMallocManaged(&out, 2 * kMostBytes);
  for (int i = 0; i < tensor_bytes(c) / 4; ++i) reinterpret_cast<float*>(data)[i] = static_cast<float>(i + 1);
  const CUtensorMap map = map_of(c, data);
  if (c.dimensions == 3) load<3><<<1, 64>>>(map, w, out);
  if (c.dimensions == 4) load<4><<<1, 64>>>(map, w, out);
  if (c.dimensions == 5) load<5><<<1, 64>>>(map, w, out);
  expect("load", cudaDeviceSynchronize(), cudaSuccess);
  int outside = 0;
  const auto check = [&](const unsigned char* box) {
    each(c, true, [&](int to, int from) {
      const float got = number_at(box, to);
      if (from < 0 && c.nan) expect(c.name, std::isnan(got), 1);
      if (from >= 0 || !c.nan) expect(c.name, static_cast<long>(got), from < 0 ? 0 : from / 4 + 1);
      outside += from < 0;
    });
  };
  check(out);
  expect("some pixels are outside", outside > 0 && outside < w.bytes / 4, 1);
  if (c.dimensions == 5) {
    std::memset(out, 0, 2 * kMostBytes);
    both<<<2, 64>>>(map, w, out);
    expect("load for two", cudaDeviceSynchronize(), cudaSuccess);
    check(out), check(out + w.bytes);
  }
  cudaFree(data), cudaFree(out);
}

template <bool Adds>
static void stores(const Case& c) {
  unsigned char *data, *in;
  const Where w = where_of(c);
  const int bytes = tensor_bytes(c);
  cudaMallocManaged(&data, static_cast<std::size_t>(bytes));
  cudaMallocManaged(&in, kMostBytes);
  std::vector<float> expected(static_cast<std::size_t>(bytes) / 4);
  for (int i = 0; i < bytes / 4; ++i) reinterpret_cast<float*>(data)[i] = expected[static_cast<std::size_t>(i)] = static_cast<float>(i);
  for (int i = 0; i < kMostBytes / 4; ++i) reinterpret_cast<float*>(in)[i] = static_cast<float>(100000 + i);
  each(c, false, [&](int from, int to) {
    if (to < 0) return;
    float& at = expected[static_cast<std::size_t>(to) / 4];
    at = number_at(in, from) + (Adds ? at : 0);
  });
  const CUtensorMap map = map_of(c, data);
  if (c.dimensions == 3) store<3, Adds><<<1, 64>>>(map, w, in);
  if (c.dimensions == 4) store<4, Adds><<<1, 64>>>(map, w, in);
  if (c.dimensions == 5) store<5, Adds><<<1, 64>>>(map, w, in);
  expect("store", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < bytes / 4; ++i) expect(c.name, static_cast<long>(reinterpret_cast<float*>(data)[i]), static_cast<long>(expected[static_cast<std::size_t>(i)]));
  cudaFree(data), cudaFree(in);
}

/// What the function says of arguments outside of its limits.
static void limits() {
  float* data;
  cudaMallocManaged(&data, 1 << 16);
  const auto said = [&](int rank, int lower, int upper, unsigned channels, unsigned pixels, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {64, 10, 2, 2, 2}, strides[] = {256, 2560, 5120, 10240};
    const int lowers[] = {lower, 0, 0}, uppers[] = {upper, 0, 0};
    const cuuint32_t steps[] = {1, 1, 1, 1, 1};
    return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, data, sizes, strides, lowers, uppers, channels, pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  const CUresult bad = CUDA_ERROR_INVALID_VALUE;
  expect("three dimensions", said(3, -32768, 32767, 256, 1024), CUDA_SUCCESS), expect("corner of three", said(3, -32769, 0, 64, 64), bad);
  expect("four dimensions", said(4, -128, 127, 256, 1024), CUDA_SUCCESS), expect("corner of four", said(4, 0, 128, 64, 64), bad);
  expect("five dimensions", said(5, -16, 15, 256, 1024), CUDA_SUCCESS), expect("corner of five", said(5, -17, 0, 64, 64), bad);
  expect("two dimensions", said(2, 0, 0, 64, 64), bad), expect("no pixel", said(4, 4, -6, 64, 64), bad), expect("one pixel", said(4, 4, -5, 64, 64), CUDA_SUCCESS);
  expect("channels", said(4, 0, 0, 257, 64), bad), expect("pixels", said(4, 0, 0, 64, 1025), bad), expect("no pixels", said(4, 0, 0, 64, 0), bad);
  expect("wider than the swizzle", said(4, 0, 0, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B), bad), expect("its width", said(4, 0, 0, 32, 64, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
  cudaFree(data);
}

int main() {
  cuInit(0);
  cudaSetDevice(0);
  cudaFree(nullptr);
  for (const Case& c : kCases) {
    loads(c);
    stores<false>(c);
    stores<true>(c);
  }
  limits();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
