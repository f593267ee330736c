#pragma once
// Memory pools, as C declares them (CUDA Runtime API, "Stream Ordered Memory Allocator"). Usable
// from C.
#include "host.h"

typedef struct CUmemPoolHandle_st *cudaMemPool_t;

enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,   ///< int
  cudaMemPoolReuseAllowOpportunistic = 2,        ///< int
  cudaMemPoolReuseAllowInternalDependencies = 3, ///< int
  cudaMemPoolAttrReleaseThreshold = 4,           ///< 64 bits, as are the following
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0,
  cudaMemHandleTypePosixFileDescriptor = 1
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
  enum cudaMemLocationType type;
  int id;
};
struct cudaMemPoolProps {
  enum cudaMemAllocationType allocType;
  enum cudaMemAllocationHandleType handleTypes;
  struct cudaMemLocation location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
  struct cudaMemLocation location;
  enum cudaMemAccessFlags flags;
};

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
// The only device may read and write its pools, always.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
#ifdef __cplusplus
} // extern "C"

// As releases from 12.2 (with _v2) and 13 on have them: a place instead of a device's number.
static inline int warpscope_device_at(struct cudaMemLocation place) {
  return place.type == cudaMemLocationTypeDevice    ? place.id
         : place.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId
                                                    : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                               struct cudaMemLocation place, unsigned int flags,
                                               cudaStream_t stream = 0) {
  return flags != 0 ? cudaErrorInvalidValue
                    : cudaMemPrefetchAsync(pointer, bytes, warpscope_device_at(place), stream);
}
static inline cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                                  struct cudaMemLocation place, unsigned int flags,
                                                  cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, place, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                                        enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation place) {
  return cudaMemAdvise(pointer, bytes, advice, warpscope_device_at(place));
}
static inline cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes,
                                           enum cudaMemoryAdvise advice,
                                           struct cudaMemLocation place) {
  return cudaMemAdvise(pointer, bytes, advice, place);
}
#endif
