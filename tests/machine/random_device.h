// What random kernels call besides CUDA's own functions.
#pragma once
#include <cuda_runtime.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#define PART static __device__ __forceinline__
#define CALLED static __device__ __noinline__

__device__ inline u64 bits_of(double x) {
  return static_cast<u64>(__double_as_longlong(x));
}
