// Layer normalisation of rows of `columns` floats, one row per block; all passes stride by the block.
// PASSES 3: mean, variance and result each read x. PASSES 2: the first pass has sum and squares.
// PER_ITEM: elements of a thread per iteration, a block apart, all read before the first is used.
#include "../reduce.cuh"

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, unsigned int columns) {
  __shared__ float scratch[SCRATCH];
  const float* in = x + (size_t)blockIdx.x * columns;
  float* out = y + (size_t)blockIdx.x * columns;
  const unsigned int step = PER_ITEM * blockDim.x;
  float sum = 0.0f;
  float squares = 0.0f;
  for (unsigned int first = threadIdx.x; first < columns; first += step) {
    float value[PER_ITEM];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) value[k] = in[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
      sum += value[k];
      squares += value[k] * value[k];
    }
  }
  const float mean = block_sum(sum, scratch) / columns;
#if PASSES == 3
  squares = 0.0f;
  for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) squares += (in[i] - mean) * (in[i] - mean);
  const float variance = block_sum(squares, scratch) / columns;
#else
  const float variance = block_sum(squares, scratch) / columns - mean * mean;
#endif
  const float scale = rsqrtf(variance + 1e-5f);
  for (unsigned int first = threadIdx.x; first < columns; first += step) {
    float value[PER_ITEM], factor[PER_ITEM], shift[PER_ITEM];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
      const unsigned int at = first + k * blockDim.x;
      value[k] = in[at];
      factor[k] = __ldg(&gamma[at]);
      shift[k] = __ldg(&beta[at]);
    }
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
      out[first + k * blockDim.x] = (value[k] - mean) * scale * factor[k] + shift[k];
  }
}
