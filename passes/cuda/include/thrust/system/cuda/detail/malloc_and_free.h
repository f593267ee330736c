#pragma once
// Around Thrust's own header: the memory that its algorithms work in is called thrust_temporary.
#include <cuda_runtime_api.h>

static inline cudaError_t warpscopeThrustTemporary(void **thrust_temporary, size_t bytes) {
  return cudaMalloc(thrust_temporary, bytes);
}

#pragma push_macro("cudaMalloc")
#undef cudaMalloc
#define cudaMalloc warpscopeThrustTemporary
#include_next <thrust/system/cuda/detail/malloc_and_free.h>
#pragma pop_macro("cudaMalloc")
