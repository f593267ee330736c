// C = alpha A B of n x n floats, TM x TN elements per work-item as in sgemm_block2d, but a work-item's columns lie BN/TN
// apart, so that neighbouring lanes store neighbouring elements. The tile of A is transposed on its way into local memory.
__kernel void sgemm_block2d_coalesced(__global const float* A, __global const float* B, __global float* C, uint n,
                                      float alpha) {
  __local float a[BK * BM];
  __local float b[BK * BN];
  const uint id = get_local_id(0);
  const uint items = BM * BN / (TM * TN);
  const uint top = get_group_id(1) * BM;
  const uint left = get_group_id(0) * BN;
  const uint column = id % (BN / TN);
  const uint row = id / (BN / TN) * TM;
  float sum[TM][TN] = {{0.0f}};
  for (uint first = 0; first < n; first += BK) {
#pragma unroll
    for (uint at = 0; at < BM * BK; at += items)
      a[(at + id) % BK * BM + (at + id) / BK] = A[(top + (at + id) / BK) * n + first + (at + id) % BK];
#pragma unroll
    for (uint at = 0; at < BK * BN; at += items)
      b[at + id] = B[(first + (at + id) / BN) * n + left + (at + id) % BN];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BK; ++k) {
      float of_a[TM], of_b[TN];
#pragma unroll
      for (uint i = 0; i < TM; ++i) of_a[i] = a[k * BM + row + i];
#pragma unroll
      for (uint j = 0; j < TN; ++j) of_b[j] = b[k * BN + column + j * (BN / TN)];
#pragma unroll
      for (uint i = 0; i < TM; ++i) {
#pragma unroll
        for (uint j = 0; j < TN; ++j) sum[i][j] += of_a[i] * of_b[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint i = 0; i < TM; ++i) {
#pragma unroll
    for (uint j = 0; j < TN; ++j) C[(top + row + i) * n + left + column + j * (BN / TN)] = alpha * sum[i][j];
  }
}
