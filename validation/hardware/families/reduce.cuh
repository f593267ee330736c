#pragma once
// Reductions over a block of whole warps: shuffles in each warp, then one value per warp in shared memory.

__device__ inline float warp_max(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

/// `scratch`: a float per warp of the block.
__device__ inline float block_max(float value, float* scratch) {
  const unsigned int lane = threadIdx.x % 32;
  value = warp_max(value);
  if (lane == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = warp_max(scratch[lane % (blockDim.x / 32)]);
  __syncthreads();
  return value;
}

__device__ inline float block_sum(float value, float* scratch) {
  const unsigned int lane = threadIdx.x % 32;
  value = warp_sum(value);
  if (lane == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = warp_sum(lane < blockDim.x / 32 ? scratch[lane] : 0.0f);
  __syncthreads();
  return value;
}
