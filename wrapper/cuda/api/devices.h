#pragma once
// The one device that programs see.
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

constexpr int kDevices = 1;
constexpr int kGreatestPriority = -5;  ///< greatest priority of a stream, as on a V100; the least is 0

/// Throws Failure(cudaErrorInvalidDevice) for another one.
inline void require_device_number(int device) {
  require(device >= 0 && device < kDevices, cudaErrorInvalidDevice);
}

}  // namespace warpscope::cuda
