#pragma once
// What the files of the driver API share: its functions are the runtime's by other names.
#include <cstdint>
#include <vector>

#include "wrapper/cuda/api.h"

namespace warpscope::cuda {

/// The numbers are the same, but the runtime tells more apart. The driver has no last error.
CUresult as_result(cudaError_t error);

/// Whether cuInit() was called, or the runtime used, which calls it.
bool is_driver_initialised();

/// The runtime makes the primary context that of this thread with the first function that needs one. Not what the driver's functions
/// call, which are DriverCalls.
void use_primary_context();

/// For the time of a driver's function.
class DriverCall {
 public:
  DriverCall();
  ~DriverCall();
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;
};

/// Runs `work`, which gives a runtime's error, once cuInit() was called.
template <class Work>
CUresult drive(const Work& work) {
  const DriverCall call;
  return is_driver_initialised() ? as_result(work()) : CUDA_ERROR_NOT_INITIALIZED;
}

inline void* pointer_of(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's pointers are numbers
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

/// Of this thread; null without.
CUcontext current_context();

/// Where the arguments are that a launch passes in one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER). Only machine code says where in it. Throws Failure.
std::vector<void*> arguments_in(const void* function, void** extra);

}  // namespace warpscope::cuda
