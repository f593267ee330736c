#pragma once
// thrust::cuda::par under the name of the header that has it in Thrust.
#include <thrust/execution_policy.h>
