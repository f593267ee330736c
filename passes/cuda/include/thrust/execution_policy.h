#pragma once
// Thrust's own policies. With its system for the CPU as the device, thrust::cuda::par is
// thrust::device: algorithms in the order of the calls, whatever the stream.
#include_next <thrust/execution_policy.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP

namespace thrust {
namespace system {
namespace cuda {

struct par_t : thrust::detail::device_t {
  __host__ __device__ const par_t &on(cudaStream_t) const { return *this; }
};
static const par_t par;
static const par_t par_nosync;

} // namespace cuda
} // namespace system
namespace cuda {
using thrust::system::cuda::par;
using thrust::system::cuda::par_nosync;
} // namespace cuda
} // namespace thrust
#endif
