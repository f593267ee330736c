#pragma once
// Launches of kernels by kernels, as libraries have them in functions that need not be used: the
// pass names the call, and the kernel is not run.
WARPSCOPE_CANNOT void *
cudaGetParameterBuffer(size_t alignment,
                       size_t bytes) __asm__("__warpscope_cannot_cudaGetParameterBuffer");
WARPSCOPE_CANNOT cudaError_t
cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned int shared_bytes,
                 cudaStream_t stream) __asm__("__warpscope_cannot_cudaLaunchDevice");
