#pragma once
// A block size by occupancy (CUDA Runtime API, "Occupancy"), for the runtime's C++ form and for the
// driver.
#include "../host.h"

#ifdef __cplusplus
#define WARPSCOPE_HOST static inline

// The block size with the most resident threads, the largest of equal ones; the smallest grid that
// fills the device with it. Sizes are tried in whole warps, downwards, as cuda_occupancy.h
// documents.
template <class Size, class F>
WARPSCOPE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                          F *kernel,
                                                                          Size shared_bytes_of,
                                                                          int limit = 0) {
  cudaFuncAttributes attributes;
  int cores = 0, warp = 32, best = 0, best_blocks = 0, device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaFuncGetAttributes(&attributes, (const void *)kernel);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (error != cudaSuccess)
    return error;
  int largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest)
    largest = limit;
  for (int size = (largest + warp - 1) / warp * warp; size > 0; size -= warp) {
    const int tried = size < largest ? size : largest;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, tried,
                                                          (size_t)shared_bytes_of(tried));
    if (error != cudaSuccess)
      return error;
    if (blocks * tried > best * best_blocks) {
      best = tried;
      best_blocks = blocks;
    }
  }
  *block = best;
  *grid = best_blocks * cores;
  return cudaSuccess;
}
#endif
