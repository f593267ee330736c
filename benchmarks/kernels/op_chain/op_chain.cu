// One kind of operation after the other, each waiting for the last: op_chain.cl in CUDA.
#include <cuda_runtime.h>

#define MULTIPLY_ADD 0
#define SPECIAL 1
#define LOCAL_LOAD 2
#define BARRIER 3
#define GLOBAL_LOAD 4
#define ROUNDS (OPS / CHAINS)
#ifndef BARRIERS
#define BARRIERS 0
#endif

__global__ void op_chain(const unsigned int* data, float* out, float factor) {
  const unsigned int item = threadIdx.x;
  const unsigned int global_item = blockIdx.x * blockDim.x + threadIdx.x;
#if OPERATION == LOCAL_LOAD
  __shared__ unsigned int next[ITEMS];
  next[item] = item;
  __syncthreads();
#endif
  float value[CHAINS];
  unsigned int place[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    value[chain] = factor + chain;
#if OPERATION == LOCAL_LOAD
    place[chain] = (item + chain) % ITEMS;
#else
    // Every load of every warp has a line of its own; a loaded value is the step to the next.
    place[chain] = (global_item / 32 * CHAINS + chain) * (ROUNDS * 32) + global_item % 32;
#endif
  }
#pragma unroll
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
#if OPERATION == MULTIPLY_ADD
      value[chain] = fmaf(value[chain], factor, 1.0f);
#elif OPERATION == SPECIAL
      value[chain] = rsqrtf(value[chain]);
#elif OPERATION == LOCAL_LOAD
      place[chain] = next[place[chain]];
#elif OPERATION == BARRIER
      __syncthreads();
#elif OPERATION == GLOBAL_LOAD
      place[chain] += data[place[chain]];
#else
#error "OPERATION: expected 0 to 4"
#endif
    }
#if BARRIERS > 0
    if ((round + 1) * BARRIERS / ROUNDS != round * BARRIERS / ROUNDS) __syncthreads();
#endif
  }
  float sum = 0.0f;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
#if OPERATION == LOCAL_LOAD || OPERATION == GLOBAL_LOAD
    sum += place[chain];
#else
    sum += value[chain];
#endif
  }
  out[global_item] = sum;
}
