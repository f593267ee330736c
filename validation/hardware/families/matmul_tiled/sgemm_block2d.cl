// C = alpha A B + beta C of n x n floats. A work-group of BM*BN/(TM*TN) work-items computes BM x BN elements, a work-item
// TM x TN neighbouring ones, whose columns lie TN elements from the next lane's.
__kernel void sgemm_block2d(__global const float* A, __global const float* B, __global float* C, uint n, float alpha,
                            float beta) {
  __local float a[BM * BK];
  __local float b[BK * BN];
  const uint id = get_local_id(0);
  const uint items = BM * BN / (TM * TN);
  const uint top = get_group_id(1) * BM;
  const uint left = get_group_id(0) * BN;
  const uint column = id % (BN / TN) * TN;
  const uint row = id / (BN / TN) * TM;
  float sum[TM][TN] = {{0.0f}};
  for (uint first = 0; first < n; first += BK) {
#pragma unroll
    for (uint at = 0; at < BM * BK; at += items)
      a[at + id] = A[(top + (at + id) / BK) * n + first + (at + id) % BK];
#pragma unroll
    for (uint at = 0; at < BK * BN; at += items)
      b[at + id] = B[(first + (at + id) / BN) * n + left + (at + id) % BN];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BK; ++k) {
      float of_a[TM], of_b[TN];
#pragma unroll
      for (uint i = 0; i < TM; ++i) of_a[i] = a[(row + i) * BK + k];
#pragma unroll
      for (uint j = 0; j < TN; ++j) of_b[j] = b[k * BN + column + j];
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
    for (uint j = 0; j < TN; ++j) {
      const uint at = (top + row + i) * n + left + column + j;
      C[at] = alpha * sum[i][j] + beta * C[at];
    }
  }
}
