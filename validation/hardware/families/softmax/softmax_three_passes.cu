// Softmax of rows of `columns` floats, one row per block. Three passes that stride by the block: the maximum; the
// exponentials, stored to y, and their sum; the quotients.
#include "../reduce.cuh"

__global__ void softmax_three_passes(const float* x, float* y, unsigned int columns) {
  __shared__ float scratch[SCRATCH];
  const float* in = x + (size_t)blockIdx.x * columns;
  float* out = y + (size_t)blockIdx.x * columns;
  float largest = -INFINITY;
  for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, in[i]);
  largest = block_max(largest, scratch);
  float sum = 0.0f;
  for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float value = expf(in[i] - largest);
    out[i] = value;
    sum += value;
  }
  sum = block_sum(sum, scratch);
  for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) out[i] /= sum;
}
