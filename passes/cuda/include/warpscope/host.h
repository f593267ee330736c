#pragma once
// The runtime's functions, as C declares them. libwarpscope-cudart has them (wrapper/cuda); the
// device side only parses them. Meanings: CUDA Runtime API.
#include "errors.h"
#include "host_types.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy,
                              cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                            cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset WARPSCOPE_INITIAL(0),
                               enum cudaMemcpyKind kind WARPSCOPE_INITIAL(cudaMemcpyHostToDevice));
cudaError_t
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset WARPSCOPE_INITIAL(0),
                     enum cudaMemcpyKind kind WARPSCOPE_INITIAL(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          int device);

// Memory of another process: cudaErrorNotSupported.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer);
cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *pointer);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
                                   const union cudaStreamAttrValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
                                   union cudaStreamAttrValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags WARPSCOPE_INITIAL(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer,
                                     size_t bytes WARPSCOPE_INITIAL(0),
                                     unsigned int flags WARPSCOPE_INITIAL(cudaMemAttachSingle));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream WARPSCOPE_INITIAL(0),
                                     unsigned int flags WARPSCOPE_INITIAL(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

#ifdef __cplusplus
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream);
#endif
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
typedef struct CUfunc_st *cudaFunction_t;
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size, size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int block_size,
                                                                   size_t shared_bytes,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int block_size);

// The name of the next allocation of this thread: the text of its arguments, and where it is made.
void warpscopeNameNextAllocation(const char *arguments, const char *file, int line);
// A library's algorithms run on the CPU: said once, if the program is traced.
void warpscopeNoteUntraced(const char *library);

#ifdef __cplusplus
} // extern "C"
#endif
