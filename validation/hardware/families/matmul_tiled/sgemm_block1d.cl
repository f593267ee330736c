// C = alpha A B + beta C of n x n floats. A work-group of BM*BN/TM work-items computes BM x BN elements, a work-item TM of a
// column. BM*BK and BK*BN equal the number of work-items, so each of them copies one element of A and one of B per step.
__kernel void sgemm_block1d(__global const float* A, __global const float* B, __global float* C, uint n, float alpha,
                            float beta) {
  __local float a[BM * BK];
  __local float b[BK * BN];
  const uint id = get_local_id(0);
  const uint top = get_group_id(1) * BM;
  const uint left = get_group_id(0) * BN;
  const uint column = id % BN;
  const uint row = id / BN * TM;
  float sum[TM] = {0.0f};
  for (uint first = 0; first < n; first += BK) {
    a[id] = A[(top + id / BK) * n + first + id % BK];
    b[id] = B[(first + id / BN) * n + left + id % BN];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < BK; ++k) {
      const float factor = b[k * BN + column];
#pragma unroll
      for (uint i = 0; i < TM; ++i) sum[i] += a[(row + i) * BK + k] * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint i = 0; i < TM; ++i) {
    const uint at = (top + row + i) * n + left + column;
    C[at] = alpha * sum[i] + beta * C[at];
  }
}
