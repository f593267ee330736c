// One query against all keys of a head, with the running maximum; the sums of 8 columns in registers.
template <int Columns> __device__ void accumulate(float (&sums)[Columns], const float *value, float weight, float rescale) {
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    sums[c] = sums[c] * rescale + weight * value[c];
}
__global__ void cu_attention_row(const float *q, const float *k, const float *v, float *out, int tokens, float scale) {
  constexpr int kColumns = 8;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float query[kColumns], sums[kColumns] = {}, most = -1e30f, total = 0;
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    query[c] = q[t * kColumns + c] * scale;
  for (int j = 0; j <= t && j < tokens; ++j) {
    float score = 0;
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
      score += query[c] * k[j * kColumns + c];
    const float larger = fmaxf(most, score), rescale = expf(most - larger), weight = expf(score - larger);
    accumulate(sums, v + j * kColumns, weight, rescale);
    total = total * rescale + weight;
    most = larger;
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    out[t * kColumns + c] = sums[c] / total;
}
