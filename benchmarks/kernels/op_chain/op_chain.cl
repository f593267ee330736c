// One kind of operation after the other, each waiting for the last: what performance models are calibrated with. OPS operations in CHAINS
// independent chains, without a loop, so that the difference of two numbers of operations is operations alone.
//   OPERATION  0 multiply-add, 1 reciprocal square root, 2 load from local memory, 3 barrier, 4 load from global memory
//   BARRIERS   at most ROUNDS, evenly among the operations (default 0)
// After B. Karsin, PhD thesis, University of Hawai'i 2018, chapter 4 (latency and throughput from the inflection), and J. Sim et al., PPoPP
// 2012 (parallelism within a warp and over warps).
#define MULTIPLY_ADD 0
#define SPECIAL 1
#define LOCAL_LOAD 2
#define BARRIER 3
#define GLOBAL_LOAD 4
#define ROUNDS (OPS / CHAINS)
#ifndef BARRIERS
#define BARRIERS 0
#endif

__kernel void op_chain(__global const uint* data, __global float* out, float factor) {
  const uint item = get_local_id(0);
#if OPERATION == LOCAL_LOAD
  __local uint next[ITEMS];
  next[item] = item;
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  float value[CHAINS];
  uint place[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    value[chain] = factor + chain;
#if OPERATION == LOCAL_LOAD
    place[chain] = (item + chain) % ITEMS;
#else
    // Every load of every warp has a line of its own; a loaded value is the step to the next.
    place[chain] = (get_global_id(0) / 32 * CHAINS + chain) * (ROUNDS * 32) + get_global_id(0) % 32;
#endif
  }
#pragma unroll
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
#if OPERATION == MULTIPLY_ADD
      value[chain] = fma(value[chain], factor, 1.0f);
#elif OPERATION == SPECIAL
      value[chain] = rsqrt(value[chain]);
#elif OPERATION == LOCAL_LOAD
      place[chain] = next[place[chain]];
#elif OPERATION == BARRIER
      barrier(CLK_LOCAL_MEM_FENCE);
#elif OPERATION == GLOBAL_LOAD
      place[chain] += data[place[chain]];
#else
#error "OPERATION: expected 0 to 4"
#endif
    }
#if BARRIERS > 0
    if ((round + 1) * BARRIERS / ROUNDS != round * BARRIERS / ROUNDS) barrier(CLK_LOCAL_MEM_FENCE);
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
  out[get_global_id(0)] = sum;
}
