// C = alpha A B + beta C of n x n floats, global memory in float4. A work-group computes BM x BN elements, each of its warps
// WM x WN of them in sub-tiles of WM/(WM*WN/(32*TM*TN)) rows, a work-item TM x 4 neighbouring ones of every sub-tile. The tile
// of A is transposed on its way into local memory. Work-groups are numbered row by row in the first dimension.
// STAGES 2: the next tiles are copied while the product of the present ones is computed.
#define TN 4
#define WARPS_WIDE (BN / WN)
#define ITEMS (BM / WM * WARPS_WIDE * 32)
#define SUBTILES (WM * WN / (32 * TM * TN))
#define SUBTILE_ROWS (WM / SUBTILES)

void copy_a(__local float* a, __global const float* A, uint n, uint top, uint first, uint id) {
#pragma unroll
  for (uint at = 0; at < BM * BK / 4; at += ITEMS) {
    const uint row = (at + id) / (BK / 4);
    const uint column = (at + id) % (BK / 4) * 4;
    const float4 four = *(__global const float4*)&A[(top + row) * n + first + column];
    a[column * BM + row] = four.x;
    a[(column + 1) * BM + row] = four.y;
    a[(column + 2) * BM + row] = four.z;
    a[(column + 3) * BM + row] = four.w;
  }
}

void copy_b(__local float* b, __global const float* B, uint n, uint left, uint first, uint id) {
#pragma unroll
  for (uint at = 0; at < BK * BN / 4; at += ITEMS) {
    const uint row = (at + id) / (BN / 4);
    const uint column = (at + id) % (BN / 4) * 4;
    *(__local float4*)&b[row * BN + column] = *(__global const float4*)&B[(first + row) * n + left + column];
  }
}

void multiply(float4 sum[SUBTILES][TM], __local const float* a, __local const float* b, uint row, uint column) {
  for (uint k = 0; k < BK; ++k) {
    const float4 of_b = *(__local const float4*)&b[k * BN + column];
#pragma unroll
    for (uint tile = 0; tile < SUBTILES; ++tile) {
#pragma unroll
      for (uint i = 0; i < TM; ++i) sum[tile][i] += a[k * BM + row + tile * SUBTILE_ROWS + i] * of_b;
    }
  }
}

__kernel void sgemm_warp_tile(__global const float* A, __global const float* B, __global float* C, uint n, float alpha,
                              float beta) {
  __local float a[STAGES][BK * BM] __attribute__((aligned(16)));
  __local float b[STAGES][BK * BN] __attribute__((aligned(16)));
  const uint id = get_local_id(0);
  const uint warp = id / 32;
  const uint lane = id % 32;
  const uint groups_wide = n / BN;
  const uint top = get_group_id(0) / groups_wide * BM;
  const uint left = get_group_id(0) % groups_wide * BN;
  const uint row = warp / WARPS_WIDE * WM + lane / (WN / TN) * TM;
  const uint column = warp % WARPS_WIDE * WN + lane % (WN / TN) * TN;
  float4 sum[SUBTILES][TM];
#pragma unroll
  for (uint tile = 0; tile < SUBTILES; ++tile) {
#pragma unroll
    for (uint i = 0; i < TM; ++i) sum[tile][i] = (float4)(0.0f);
  }
#if STAGES == 2
  copy_a(a[0], A, n, top, 0, id);
  copy_b(b[0], B, n, left, 0, id);
  for (uint first = 0; first < n; first += BK) {
    const uint now = first / BK % 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first + BK < n) {
      copy_a(a[1 - now], A, n, top, first + BK, id);
      copy_b(b[1 - now], B, n, left, first + BK, id);
    }
    multiply(sum, a[now], b[now], row, column);
  }
#else
  for (uint first = 0; first < n; first += BK) {
    copy_a(a[0], A, n, top, first, id);
    copy_b(b[0], B, n, left, first, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(sum, a[0], b[0], row, column);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
#pragma unroll
  for (uint tile = 0; tile < SUBTILES; ++tile) {
#pragma unroll
    for (uint i = 0; i < TM; ++i) {
      __global float4* to = (__global float4*)&C[(top + row + tile * SUBTILE_ROWS + i) * n + left + column];
      *to = alpha * sum[tile][i] + beta * *to;
    }
  }
}
