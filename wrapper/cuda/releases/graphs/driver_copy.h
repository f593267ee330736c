#pragma once
// A copy as the driver's nodes have it, CUDA_MEMCPY3D (CUDA Driver API, "Memory Management"), and as the runtime keeps it.
#include <cstddef>

#include "wrapper/cuda/releases/driver.h"

namespace warpscope::cuda::releases {

struct DriverCopySide {
  std::size_t x, y, z, level;  // bytes, rows, planes
  int memory;                  // CUmemorytype
  void* host;
  CUdeviceptr device;
  cudaArray_t array;
  void* reserved;
  std::size_t pitch, height;
};
struct DriverCopy {
  DriverCopySide from, to;
  std::size_t width, height, depth;
};

/// Arrays count in elements there. False for what the documentation refuses.
bool as_runtime(const DriverCopy& copy, cudaMemcpy3DParms& box);
DriverCopy as_driver(const cudaMemcpy3DParms& box);

}  // namespace warpscope::cuda::releases
