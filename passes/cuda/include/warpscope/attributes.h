#pragma once
// CUDA's keywords as Clang's attributes, and how this header set declares what runs on the device.
// Other compilers see host code only.
// NOLINTBEGIN(bugprone-reserved-identifier): the names that CUDA gives
// Headers of libraries and samples ask which of CUDA's were included.
#define __HOST_DEFINES_H__
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#ifdef __CUDA__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
// Clang gives constant and other device memory one address space; the section tells them apart.
#define __constant__ __attribute__((constant, section("warpscope_constant")))
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device, section("warpscope_managed")))
#else
#define __managed__ __attribute__((device)) // the runtime takes the host's memory of it
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __grid_constant__
// NOLINTEND(bugprone-reserved-identifier)
#define CUDARTAPI
#define CUDART_CB

// The release that clang 15 knows.
#define CUDART_VERSION 11050
#define CUDA_VERSION 11050

// "nodebug": an access made by a function of ours gets the line of the user's call.
#define WARPSCOPE_DEVICE_MEMBER __attribute__((device, always_inline, nodebug))
#define WARPSCOPE_BOTH_MEMBER __attribute__((host, device, always_inline, nodebug))
#define WARPSCOPE_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
#define WARPSCOPE_ON_HOST static __inline__ __attribute__((host, always_inline, nodebug))
#ifdef __CUDA__
#define WARPSCOPE_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
#else
#define WARPSCOPE_BOTH static __inline__
#endif
// A function whose instructions are not a GPU's, so that no cycles are estimated of kernels that
// call it (passes/cuda/CudaUntimed.cpp).
#define WARPSCOPE_UNTIMED(what) __attribute__((assume("warpscope_untimed_" what)))
// Built-ins of OpenCL by their mangled names; the passes and PoCL know them.
#define WARPSCOPE_BUILTIN extern "C" __attribute__((device, assume("warpscope_builtin")))
#define WARPSCOPE_PURE                                                                             \
  extern "C" __attribute__((device, const, nothrow, assume("warpscope_builtin")))
// What no OpenCL built-in does: the pass names the call, its line and the rest of the function's
// name.
#define WARPSCOPE_CANNOT extern "C" __attribute__((device, convergent))
