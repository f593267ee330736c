#pragma once
// The runtime's C++ forms: typed pointers, symbols and kernels. Meanings: CUDA Runtime API.
#include "api/occupancy.h"
#include "host.h"
#include "host_pools.h"

#ifdef __cplusplus

WARPSCOPE_HOST cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
WARPSCOPE_HOST cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
WARPSCOPE_HOST cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t x_size,
                                                  size_t y_size) {
  return {pointer, pitch, x_size, y_size};
}

template <class T> WARPSCOPE_HOST cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return cudaMalloc((void **)(void *)pointer, bytes);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                             unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width,
                                           size_t height) {
  return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                                    unsigned int flags = 0) {
  return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
WARPSCOPE_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer,
                                                    size_t bytes = 0,
                                                    unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

template <class T>
WARPSCOPE_HOST cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                              size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                                size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                   size_t offset = 0,
                                                   cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                   cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                     size_t offset = 0,
                                                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                     cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T>
WARPSCOPE_HOST cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <class T> WARPSCOPE_HOST cudaError_t cudaGetSymbolAddress(T **address, const T &symbol) {
  return cudaGetSymbolAddress((void **)(void *)address, (const void *)&symbol);
}
template <class T> WARPSCOPE_HOST cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class F>
WARPSCOPE_HOST cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **arguments,
                                            size_t shared_bytes = 0,
                                            cudaStream_t stream = nullptr) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaLaunchCooperativeKernel(F *kernel, dim3 grid, dim3 block,
                                                       void **arguments, size_t shared_bytes = 0,
                                                       cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes,
                                     stream);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F *kernel) {
  return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, F *kernel) {
  return cudaGetFuncBySymbol(function, (const void *)kernel);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaFuncSetCacheConfig(F *kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaFuncSetSharedMemConfig(F *kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *kernel,
                                                                         int block_size,
                                                                         size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size,
                                                       shared_bytes);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, F *kernel, int block_size, size_t shared_bytes, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                block_size, shared_bytes, flags);
}
template <class F>
WARPSCOPE_HOST cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, F *kernel,
                                                                     int blocks, int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, block_size);
}

template <class F>
WARPSCOPE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *kernel,
                                                              size_t shared_bytes = 0,
                                                              int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}

// Allocations are called after the variable that receives them: the text of the arguments comes
// along.
struct warpscope_place {
  const char *arguments, *file;
  int line;
};
#define WARPSCOPE_NAMED(function)                                                                  \
  template <class... Arguments>                                                                    \
  WARPSCOPE_HOST cudaError_t function(const warpscope_place &place, Arguments... arguments) {      \
    warpscopeNameNextAllocation(place.arguments, place.file, place.line);                          \
    return function(arguments...);                                                                 \
  }
WARPSCOPE_NAMED(cudaMalloc)
WARPSCOPE_NAMED(cudaMallocHost)
WARPSCOPE_NAMED(cudaHostAlloc)
WARPSCOPE_NAMED(cudaMallocManaged)
WARPSCOPE_NAMED(cudaMallocPitch)
WARPSCOPE_NAMED(cudaMalloc3D)
#undef WARPSCOPE_NAMED
/* A stream or a pool may be a plain 0, which is no pointer any more once it was passed on. */
#define WARPSCOPE_NAMED(function, parameters, passed_on)                                           \
  template <class Pointer>                                                                         \
  WARPSCOPE_HOST cudaError_t function(const warpscope_place &place, Pointer pointer, size_t bytes, \
                                      WARPSCOPE_LIST parameters) {                                 \
    warpscopeNameNextAllocation(place.arguments, place.file, place.line);                          \
    return function(pointer, bytes, WARPSCOPE_LIST passed_on);                                     \
  }
#define WARPSCOPE_LIST(...) __VA_ARGS__
WARPSCOPE_NAMED(cudaMallocAsync, (cudaStream_t stream), (stream))
WARPSCOPE_NAMED(cudaMallocAsync, (cudaMemPool_t pool, cudaStream_t stream), (pool, stream))
WARPSCOPE_NAMED(cudaMallocFromPoolAsync, (cudaMemPool_t pool, cudaStream_t stream), (pool, stream))
#undef WARPSCOPE_LIST
#undef WARPSCOPE_NAMED
#define WARPSCOPE_PLACE(...) (warpscope_place{#__VA_ARGS__, __FILE__, __LINE__})
#define cudaMalloc(...) cudaMalloc(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocHost(...) cudaMallocHost(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaHostAlloc(...) cudaHostAlloc(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocManaged(...) cudaMallocManaged(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocPitch(...) cudaMallocPitch(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocAsync(...) cudaMallocAsync(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocFromPoolAsync(...)                                                               \
  cudaMallocFromPoolAsync(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#define cudaMalloc3D(...) cudaMalloc3D(WARPSCOPE_PLACE(__VA_ARGS__), __VA_ARGS__)
#undef WARPSCOPE_HOST
#endif

#ifdef __CUDA__
// What Clang calls for <<<...>>>: on the device side, which is only parsed, by its HIP names.
extern "C" cudaError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
extern "C" cudaError_t hipConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
extern "C" unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = nullptr,
                                                    const char * = __builtin_FILE(),
                                                    unsigned int = __builtin_LINE());
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
#endif
