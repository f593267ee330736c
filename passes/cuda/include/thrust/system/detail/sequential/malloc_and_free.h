#pragma once
// In place of Thrust's own header where its device is the CPU: what its algorithms allocate is
// memory of the device, which is the host's as well, so that kernels may use it and a trace knows
// it.
#include <thrust/detail/config.h>
#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CPP
#include_next <thrust/system/detail/sequential/malloc_and_free.h>
#else
#include <cstddef>

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

namespace thrust {
namespace system {
namespace detail {
namespace sequential {

template <class Policy>
inline __host__ __device__ void *malloc(execution_policy<Policy> &, std::size_t bytes) {
  void *thrust_memory = nullptr;
#ifndef __CUDA_ARCH__
  warpscopeNoteUntraced("Thrust");
  if (cudaMalloc(&thrust_memory, bytes) != cudaSuccess)
    thrust_memory = nullptr;
#endif
  return thrust_memory;
}

template <class Policy, class Pointer>
inline __host__ __device__ void free(execution_policy<Policy> &, Pointer pointer) {
#ifndef __CUDA_ARCH__
  cudaFree(thrust::raw_pointer_cast(pointer));
#endif
}

} // namespace sequential
} // namespace detail
} // namespace system
} // namespace thrust
#endif
