#pragma once
// Textures and arrays on the host's side. Meanings: CUDA Runtime API, "Texture Reference
// Management", "Texture Object Management".
#include "host.h"
#include "texture_types.h"

#ifdef __cplusplus
extern "C" {
#endif
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *description, cudaArray_const_t array);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description,
                            size_t width, size_t height WARPSCOPE_INITIAL(0),
                            unsigned int flags WARPSCOPE_INITIAL(0));
// A layered array has `depth` layers; without a height its rows are the layers.
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description,
                              struct cudaExtent extent, unsigned int flags WARPSCOPE_INITIAL(0));
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *description, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                              size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y,
                                size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                size_t pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x_bytes, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind,
                                     cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                       size_t x_bytes, size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind,
                                       cudaStream_t stream WARPSCOPE_INITIAL(0));
cudaError_t
cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                       size_t from_x_bytes, size_t from_y, size_t bytes,
                       enum cudaMemcpyKind kind WARPSCOPE_INITIAL(cudaMemcpyDeviceToDevice));
cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                         size_t from_x_bytes, size_t from_y, size_t width, size_t height,
                         enum cudaMemcpyKind kind WARPSCOPE_INITIAL(cudaMemcpyDeviceToDevice));
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
// Fills in what a reference is bound to.
cudaError_t warpscopeDescribeTexture(struct warpscope_texture *place,
                                     const struct cudaResourceDesc *resource,
                                     const struct cudaTextureDesc *how);
#ifdef __cplusplus
} // extern "C"

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(8 * sizeof(T), 0, 0, 0, cudaChannelFormatKindNone);
}
#define WARPSCOPE_CHANNELS(type, bits, kind)                                                       \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                         \
    return cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKind##kind);                      \
  }
#define WARPSCOPE_CHANNELS24(name, bits, kind)                                                     \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##2>() {                      \
    return cudaCreateChannelDesc(bits, bits, 0, 0, cudaChannelFormatKind##kind);                   \
  }                                                                                                \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##4>() {                      \
    return cudaCreateChannelDesc(bits, bits, bits, bits, cudaChannelFormatKind##kind);             \
  }
WARPSCOPE_CHANNELS(char, 8, Signed)
WARPSCOPE_CHANNELS(signed char, 8, Signed)
WARPSCOPE_CHANNELS(unsigned char, 8, Unsigned)
WARPSCOPE_CHANNELS(short, 16, Signed)
WARPSCOPE_CHANNELS(unsigned short, 16, Unsigned)
WARPSCOPE_CHANNELS(int, 32, Signed)
WARPSCOPE_CHANNELS(unsigned int, 32, Unsigned)
WARPSCOPE_CHANNELS(float, 32, Float)
WARPSCOPE_CHANNELS24(char, 8, Signed)
WARPSCOPE_CHANNELS24(uchar, 8, Unsigned)
WARPSCOPE_CHANNELS24(short, 16, Signed)
WARPSCOPE_CHANNELS24(ushort, 16, Unsigned)
WARPSCOPE_CHANNELS24(int, 32, Signed)
WARPSCOPE_CHANNELS24(uint, 32, Unsigned)
WARPSCOPE_CHANNELS24(float, 32, Float)
#undef WARPSCOPE_CHANNELS
#undef WARPSCOPE_CHANNELS24

#ifdef __CUDA__
// A texture reference: Clang makes variables of this type the device's; cudaBindTexture() fills
// them.
template <class T, int Dimensions = 1, int Mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture {
  warpscope_texture place;
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};

// A surface reference.
template <class T, int Dimensions = 1> struct __attribute__((device_builtin_surface_type)) surface {
  warpscope_texture place;
};
template <int Dimensions>
struct __attribute__((device_builtin_surface_type)) surface<void, Dimensions> {
  warpscope_texture place;
};

template <class T, int D, int M>
static inline cudaError_t warpscope_bind(const texture<T, D, M> &reference,
                                         const cudaResourceDesc &resource) {
  cudaTextureDesc how = {};
  for (int i = 0; i < 3; ++i)
    how.addressMode[i] = reference.addressMode[i];
  how.filterMode = reference.filterMode;
  how.normalizedCoords = reference.normalized;
  warpscope_texture place;
  const cudaError_t error = warpscopeDescribeTexture(&place, &resource, &how);
  return error != cudaSuccess ? error : cudaMemcpyToSymbol(reference, &place, sizeof(place));
}
template <class T, int D, int M>
static inline cudaError_t
cudaBindTexture(size_t *offset, const texture<T, D, M> &reference, const void *pointer,
                const cudaChannelFormatDesc &description, size_t bytes = 0xffffffffu) {
  if (offset != nullptr)
    *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<void *>(pointer), description, bytes};
  return warpscope_bind(reference, resource);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &reference,
                                          const void *pointer, size_t bytes = 0xffffffffu) {
  return cudaBindTexture(offset, reference, pointer, cudaCreateChannelDesc<T>(), bytes);
}
// The forms of C: pointers to the reference and to the description.
template <class T, int D, int M>
static inline cudaError_t
cudaBindTexture(size_t *offset, const texture<T, D, M> *reference, const void *pointer,
                const cudaChannelFormatDesc *description, size_t bytes = 0xffffffffu) {
  return cudaBindTexture(offset, *reference, pointer, *description, bytes);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &reference,
                                            const void *pointer,
                                            const cudaChannelFormatDesc &description, size_t width,
                                            size_t height, size_t pitch) {
  if (offset != nullptr)
    *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void *>(pointer), description, width, height, pitch};
  return warpscope_bind(reference, resource);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &reference,
                                            const void *pointer, size_t width, size_t height,
                                            size_t pitch) {
  return cudaBindTexture2D(offset, reference, pointer, cudaCreateChannelDesc<T>(), width, height,
                           pitch);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> *reference,
                                            const void *pointer,
                                            const cudaChannelFormatDesc *description, size_t width,
                                            size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, *reference, pointer, *description, width, height, pitch);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &reference,
                                                 cudaArray_const_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return warpscope_bind(reference, resource);
}
template <class T, int D, int M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &reference,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &) {
  return cudaBindTextureToArray(reference, array);
}
template <class T, int D>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, D> &reference,
                                                 cudaArray_const_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  const cudaTextureDesc how = {};
  warpscope_texture place;
  const cudaError_t error = warpscopeDescribeTexture(&place, &resource, &how);
  return error != cudaSuccess ? error : cudaMemcpyToSymbol(reference, &place, sizeof(place));
}
template <class T, int D>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, D> &reference,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &) {
  return cudaBindSurfaceToArray(reference, array);
}
template <class T, int D, int M>
static inline cudaError_t cudaUnbindTexture(const texture<T, D, M> &) {
  return cudaSuccess;
}
template <class T, int D, int M>
static inline cudaError_t cudaUnbindTexture(const texture<T, D, M> *) {
  return cudaSuccess;
}
#endif
#endif
