// The driver's functions of memory, arrays and textures that newer releases have, or whose parameters have changed (CUDA Driver API).
#include "wrapper/cuda/releases/array_formats.h"
#include "wrapper/cuda/releases/driver.h"
#include "wrapper/cuda/state/arrays.h"

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent,
                              unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
}
// NOLINTEND(readability-identifier-naming)

namespace warpscope::cuda::releases {
namespace {

/// CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR.
struct Array2D {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Array3D {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

CUresult create(cudaArray** array, const Array3D& wanted) {
  cudaChannelFormatDesc description;
  if (array == nullptr || !channels_of(wanted.format, wanted.channels, &description))
    return CUDA_ERROR_INVALID_VALUE;
  return as_result(
      cudaMalloc3DArray(array, &description, {wanted.width, wanted.height, wanted.depth}, wanted.flags));
}

int device_at(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}
cudaError_t prefetch(CUdeviceptr pointer, std::size_t bytes, int device, CUstream stream) {
  using Prefetch = cudaError_t(const void*, std::size_t, int, cudaStream_t);
  return core<Prefetch>("cudaMemPrefetchAsync")(pointer_of(pointer), bytes, device, stream);
}
cudaError_t advise(CUdeviceptr pointer, std::size_t bytes, int advice, int device) {
  using Advise = cudaError_t(const void*, std::size_t, cudaMemoryAdvise, int);
  return core<Advise>("cudaMemAdvise")(pointer_of(pointer), bytes, static_cast<cudaMemoryAdvise>(advice),
                                       device);
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

CUresult cuArrayCreate_v2(cudaArray** array, const Array2D* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create(array, {wanted->width, wanted->height, 0, wanted->format, wanted->channels, 0});
}
CUresult cuArray3DCreate_v2(cudaArray** array, const Array3D* wanted) {
  return wanted != nullptr ? create(array, *wanted) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuArrayDestroy(cudaArray* array) {
  return array != nullptr ? as_result(cudaFreeArray(array)) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuArray3DGetDescriptor_v2(Array3D* description, const cudaArray* array) {
  if (description == nullptr || array == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *description = {array->width, array->height, array->depth, 0, 0, array->flags};
  const ArrayFormat format = format_of(array->description);
  description->format = format.format;
  description->channels = format.channels;
  return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor_v2(Array2D* description, const cudaArray* array) {
  Array3D whole;
  if (description == nullptr || array == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cuArray3DGetDescriptor_v2(&whole, array);
  *description = {whole.width, whole.height, whole.format, whole.channels};
  return CUDA_SUCCESS;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return as_result(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext /*to_context*/, CUdeviceptr from, CUcontext /*from_context*/,
                      std::size_t bytes) {
  return as_result(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext /*to_context*/, CUdeviceptr from,
                           CUcontext /*from_context*/, std::size_t bytes, CUstream stream) {
  return as_result(
      cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemAllocAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) {
  void* memory = nullptr;
  if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = (cudaMallocAsync)(&memory, bytes, stream);
  if (error == cudaSuccess) *pointer = reinterpret_cast<std::uintptr_t>(memory);
  return as_result(error);
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return as_result(cudaFreeAsync(pointer_of(pointer), stream));
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t bytes, CUdevice device, CUstream stream) {
  return as_result(prefetch(pointer, bytes, device, stream));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, std::size_t bytes, cudaMemLocation location,
                               unsigned flags, CUstream stream) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return as_result(prefetch(pointer, bytes, device_at(location), stream));
}
CUresult cuMemAdvise(CUdeviceptr pointer, std::size_t bytes, int advice, CUdevice device) {
  return as_result(advise(pointer, bytes, advice, device));
}
CUresult cuMemAdvise_v2(CUdeviceptr pointer, std::size_t bytes, int advice, cudaMemLocation location) {
  return as_result(advise(pointer, bytes, advice, device_at(location)));
}

// For streams of each thread
WARPSCOPE_SAME(cuMemcpyAsync_ptsz, cuMemcpyAsync);
WARPSCOPE_SAME(cuMemcpyPeer_ptds, cuMemcpyPeer);
WARPSCOPE_SAME(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync);
WARPSCOPE_SAME(cuMemAllocAsync_ptsz, cuMemAllocAsync);
WARPSCOPE_SAME(cuMemFreeAsync_ptsz, cuMemFreeAsync);
WARPSCOPE_SAME(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);
WARPSCOPE_SAME(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);
}
// NOLINTEND(readability-identifier-naming)
