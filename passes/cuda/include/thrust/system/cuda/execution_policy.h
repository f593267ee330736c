#pragma once
// thrust::cuda::par under the name of the header that has it in Thrust.
#include <thrust/detail/config.h>
#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CPP
#include_next <thrust/system/cuda/execution_policy.h>
#else
#include <thrust/execution_policy.h>
#endif
