#include "filters.h"
#include "weights.cuh"

__constant__ float weights[3];

__device__ float weighted(float left, float middle, float right) {
  return left * weights[0] + middle * weights[1] + right * weights[2];
}

void set_weights(float left, float middle, float right) {
  const float values[] = {left, middle, right};
  cudaMemcpyToSymbol(weights, values, sizeof(values));
}
