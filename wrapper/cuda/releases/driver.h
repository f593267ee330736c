#pragma once
// What the driver's functions of these libraries share: they call the runtime's (CUDA Driver API).
#include <cstdint>

#include "wrapper/cuda/releases/core.h"

namespace warpscope::cuda::releases {

/// The numbers are the same.
inline CUresult as_result(cudaError_t error) {
  return static_cast<CUresult>(error);
}

inline void* pointer_of(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's pointers are numbers
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace warpscope::cuda::releases
