// Tensor maps that the program makes by the driver's function, which it asks the runtime for: tiles of a matrix are copied to shared memory, turned and
// copied back. nvcc for sm_90 only.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kTile = 32, kWidth = 96, kHeight = 80;  // the last row of tiles is cut

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__global__ void turn(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) float tile[kTile * kTile], turned[kTile * kTile];
  __shared__ alignas(8) std::uint64_t barrier;
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile, thread = threadIdx.x;
  if (thread == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(static_cast<int>(sizeof tile)) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)), "l"(&from),
                 "r"(x), "r"(y), "r"(shared_address(&barrier)) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(shared_address(&barrier)) : "memory");
  for (int row = 0; row < kTile; ++row) turned[thread * kTile + row] = tile[row * kTile + thread];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (thread != 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(y), "r"(x), "r"(shared_address(turned)) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

static int wrong = 0;
static void expect(const char* what, int got, int expected) {
  if (got == expected) return;
  ++wrong;
  std::printf("%s: %d, expected %d\n", what, got, expected);
}

using Encode = decltype(&cuTensorMapEncodeTiled);

static CUtensorMap map_of(Encode encode, float* data, int width, int height, CUresult expected = CUDA_SUCCESS, unsigned box = kTile) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)}, strides[] = {static_cast<cuuint64_t>(width) * 4};
  const cuuint32_t boxes[] = {box, kTile}, steps[] = {1, 1};
  const CUresult got = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                              CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  expect("map", got, expected);
  return map;
}

int main() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cuInit(0);
  expect("function", cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result), cudaSuccess);
  expect("found", result, cudaDriverEntryPointSuccess);
  const auto encode = reinterpret_cast<Encode>(found);
  float *a, *b;
  cudaMallocManaged(&a, kWidth * kHeight * sizeof(float));
  cudaMallocManaged(&b, kWidth * kHeight * sizeof(float));
  for (int i = 0; i < kWidth * kHeight; ++i) a[i] = static_cast<float>(i), b[i] = -1;
  const CUtensorMap from = map_of(encode, a, kWidth, kHeight), to = map_of(encode, b, kHeight, kWidth);
  turn<<<dim3(kWidth / kTile, (kHeight + kTile - 1) / kTile), kTile>>>(from, to);
  expect("run", cudaDeviceSynchronize(), cudaSuccess);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) expect("element", static_cast<int>(b[x * kHeight + y]), y * kWidth + x);
  map_of(encode, a, kWidth, kHeight, CUDA_ERROR_INVALID_VALUE, 257);
  map_of(encode, a + 1, kWidth, kHeight, CUDA_ERROR_INVALID_VALUE);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
