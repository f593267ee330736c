// C = A · B of 256 × 256 halves with sums of 32 bits, B as columns: a work-group of four warps computes 64 × 64 of them, a warp 32 × 32.
#include <cstdint>
#include <cuda_fp16.h>

constexpr int kN = 256, kTile = 64, kStep = 16;

__device__ void multiply(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load(std::uint32_t (&values)[4], const __half* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
               : "r"(address));
}

__global__ void half_gemm(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half rows[kTile][kStep + 8], columns[kTile][kStep + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int my_row = warp / 2 * 32, my_column = warp % 2 * 32;
  const int line = threadIdx.x / 2, part = threadIdx.x % 2 * 8;
  float sums[2][4][4] = {};
#pragma unroll 1
  for (int k = 0; k < kN; k += kStep) {
    const uint4 of_a = *reinterpret_cast<const uint4*>(a + (row + line) * kN + k + part);
    const uint4 of_b = *reinterpret_cast<const uint4*>(b + (column + line) * kN + k + part);
    __syncthreads();
    *reinterpret_cast<uint4*>(&rows[line][part]) = of_a;
    *reinterpret_cast<uint4*>(&columns[line][part]) = of_b;
    __syncthreads();
    std::uint32_t mine[2][4], others[2][4];
    for (int half = 0; half < 2; ++half) {
      load(mine[half], &rows[my_row + 16 * half + lane % 16][lane / 16 * 8]);
      load(others[half], &columns[my_column + 16 * half + lane % 16][lane / 16 * 8]);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        const std::uint32_t pair[2] = {others[j / 2][j % 2], others[j / 2][j % 2 + 2]};
        multiply(sums[i][j], mine[i], pair);
      }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float* const at = c + (row + my_row + 16 * i + lane / 4) * kN + column + my_column + 8 * j + lane % 4 * 2;
      *reinterpret_cast<float2*>(at) = make_float2(sums[i][j][0], sums[i][j][1]);
      *reinterpret_cast<float2*>(at + 8 * kN) = make_float2(sums[i][j][2], sums[i][j][3]);
    }
}
