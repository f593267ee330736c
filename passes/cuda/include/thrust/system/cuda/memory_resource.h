#pragma once
// Around Thrust's own header, which declares and passes CUDA's functions by names that are macros
// here. Its vectors are called thrust_vector.
#include <cuda_runtime_api.h>

static inline cudaError_t warpscopeThrustVector(void **thrust_vector, size_t bytes) {
  return cudaMalloc(thrust_vector, bytes);
}
static inline cudaError_t warpscopeThrustManaged(void **thrust_vector, size_t bytes,
                                                 unsigned int flags) {
  return cudaMallocManaged(thrust_vector, bytes, flags);
}
static inline cudaError_t warpscopeThrustPinned(void **thrust_vector, size_t bytes) {
  return cudaMallocHost(thrust_vector, bytes);
}

#pragma push_macro("cudaMalloc")
#pragma push_macro("cudaMallocManaged")
#pragma push_macro("cudaMallocHost")
#undef cudaMalloc
#undef cudaMallocManaged
#undef cudaMallocHost
#define cudaMalloc warpscopeThrustVector
#define cudaMallocManaged warpscopeThrustManaged
#define cudaMallocHost warpscopeThrustPinned
#include_next <thrust/system/cuda/memory_resource.h>
#pragma pop_macro("cudaMallocHost")
#pragma pop_macro("cudaMallocManaged")
#pragma pop_macro("cudaMalloc")
