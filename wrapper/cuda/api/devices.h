#pragma once
// The one device that programs see.
#include <cstddef>

#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

constexpr int kDevices = 1;
constexpr int kGreatestPriority = -5;  ///< greatest priority of a stream, as on a V100; the least is 0

constexpr int kMostPitch = 0x7fffffff;  ///< bytes from row to row of 2-D copies (cudaDeviceProp::memPitch)

/// Throws Failure(cudaErrorInvalidPitchValue) for rows of `width` bytes that overlap or are too far apart.
inline void require_pitch(std::size_t pitch, std::size_t width) {
  require(width <= pitch && pitch <= kMostPitch, cudaErrorInvalidPitchValue);
}

/// Throws Failure(cudaErrorInvalidDevice) for another one.
inline void require_device_number(int device) {
  require(device >= 0 && device < kDevices, cudaErrorInvalidDevice);
}

}  // namespace warpscope::cuda
