#pragma once
// What the programs of this folder share.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with a message where a call failed.
static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// An array of zeros on the GPU.
template <class T>
static T* device_array(std::size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "memory");
  check(cudaMemset(memory, 0, count * sizeof(T)), "memory");
  return memory;
}

/// The core's clock, in cycles.
__device__ inline long long now() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}
