#pragma once
// CUDA's keywords as Clang's attributes, and how this header set declares what runs on the device.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
// Clang gives constant and other device memory one address space; the section tells them apart.
#define __constant__ __attribute__((constant, section("warpscope_constant")))
#define __managed__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __grid_constant__
#define CUDARTAPI
#define CUDART_CB

#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

// "nodebug": an access made by a function of ours gets the line of the user's call.
#define WARPSCOPE_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
#define WARPSCOPE_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
// Built-ins of OpenCL by their mangled names; the passes and PoCL know them.
#define WARPSCOPE_BUILTIN extern "C" __attribute__((device, assume("warpscope_builtin")))
#define WARPSCOPE_PURE                                                                             \
  extern "C" __attribute__((device, const, nothrow, assume("warpscope_builtin")))
// What no OpenCL built-in does: the pass names the call, its line and the rest of the function's
// name.
#define WARPSCOPE_CANNOT extern "C" __attribute__((device, convergent))
