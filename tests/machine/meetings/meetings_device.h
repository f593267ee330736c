// What random kernels of meetings are for the GPU.
#pragma once
#include <cuda_runtime.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define PART static __device__ __forceinline__
#define CALLED static __device__ __noinline__
#define BOX __shared__ volatile u32 box[64];
#define BOX_PARAMETER , volatile u32* box
#define BOX_ARGUMENT , box
