// kernels.cl as CUDA.
#define kernel __global__
#define __global
#define local __shared__
#define uchar unsigned char
#define get_local_id(d) int(threadIdx.x)
#define get_group_id(d) int(blockIdx.x)
#define get_global_id(d) int(blockIdx.x * blockDim.x + threadIdx.x)
#define barrier(which) __syncthreads()
#define mem_fence(which) __threadfence()
#define atomic_inc(at) atomicAdd(at, 1)
#define atomic_max atomicMax
#define atomic_xchg atomicExch
#include "kernels.cl"
