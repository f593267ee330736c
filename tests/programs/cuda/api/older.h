#pragma once
// What CUDA 13 no longer has, or has with other parameters, by what it has: so that the programs of this folder compile with its headers, too.
#include <cuda.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
inline cudaMemLocation place(int device) {
  return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
          device == cudaCpuDeviceId ? 0 : device};
}
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, place(device));
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device) {
  return cudaMemPrefetchAsync(pointer, bytes, place(device), 0);
}
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
inline cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
inline cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
inline cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}
inline CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, nullptr, flags, device);
}
#endif
