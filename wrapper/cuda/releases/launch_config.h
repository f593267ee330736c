#pragma once
// How a program of CUDA 11.8 and later describes a launch (CUDA Runtime API, "Data Structures").
#include "wrapper/cuda/releases/core.h"

namespace warpscope::cuda::releases {

/// cudaLaunchAttribute and CUlaunchAttribute, 72 bytes: an id, and a value of 64 bytes at offset 8.
struct LaunchAttribute {
  int id;
  alignas(8) unsigned value[16];
};
/// cudaLaunchConfig_t.
struct LaunchConfig {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  const LaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);
constexpr int kCooperative = 2, kClusterDimension = 4;  // the others ask for nothing that a kernel could see

}  // namespace warpscope::cuda::releases
