// Copies between devices, of which there is one, and batches of copies; pools by location (CUDA Runtime API and CUDA Driver API, "Memory
// Management", "Stream Ordered Memory Allocator").
#include <algorithm>

#include "wrapper/cuda/releases/driver.h"

namespace warpscope::cuda::releases {
namespace {

/// cudaMemcpy3DPeerParms.
struct PeerCopy {
  cudaArray_t from_array;
  cudaPos from_start;
  cudaPitchedPtr from;
  int from_device;
  cudaArray_t to_array;
  cudaPos to_start;
  cudaPitchedPtr to;
  int to_device;
  cudaExtent extent;
};

cudaError_t copy_box(const PeerCopy* peers, const cudaStream_t* stream) {
  if (peers == nullptr) return cudaErrorInvalidValue;
  if (peers->from_device != 0 || peers->to_device != 0) return cudaErrorInvalidDevice;
  const cudaMemcpy3DParms box{peers->from_array, peers->from_start, peers->from,   peers->to_array,
                              peers->to_start,   peers->to,         peers->extent, cudaMemcpyDefault};
  return stream != nullptr ? cudaMemcpy3DAsync(&box, *stream) : cudaMemcpy3D(&box);
}

/// One after the other. `failed`: number of the one that did not go, or null.
cudaError_t copy_all(void* const* to, const void* const* from, const std::size_t* bytes, std::size_t count,
                     std::size_t attributes, std::size_t* failed, cudaStream_t stream) {
  if (failed != nullptr) *failed = SIZE_MAX;  // none of them
  const bool is_whole = to != nullptr && from != nullptr && bytes != nullptr;
  if (!is_whole || count == 0 || attributes == 0 || attributes > count) return cudaErrorInvalidValue;
  for (std::size_t at = 0; at < count; ++at) {
    const cudaError_t error = cudaMemcpyAsync(to[at], from[at], bytes[at], cudaMemcpyDefault, stream);
    if (error == cudaSuccess) continue;
    if (failed != nullptr) *failed = at;
    return error;
  }
  return cudaSuccess;
}

/// The memory that all of a batch names has to be there, and nothing else is to be done: it is the host's.
cudaError_t look_at_all(void* const* pointers, const std::size_t* bytes, std::size_t count) {
  if (pointers == nullptr || bytes == nullptr || count == 0) return cudaErrorInvalidValue;
  cudaPointerAttributes attributes;
  using Attributes = cudaError_t(cudaPointerAttributes*, const void*);
  for (std::size_t at = 0; at < count; ++at) {
    const cudaError_t error = core<Attributes>("cudaPointerGetAttributes")(&attributes, pointers[at]);
    if (error != cudaSuccess) return error;
    if (attributes.type != cudaMemoryTypeManaged) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

bool is_here(const cudaMemLocation* location, int type) {
  return location != nullptr && location->type == cudaMemLocationTypeDevice && location->id == 0 &&
         type == cudaMemAllocationTypePinned;
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

cudaError_t cudaMemcpy3DPeer(const PeerCopy* copy) {
  return copy_box(copy, nullptr);
}
cudaError_t cudaMemcpy3DPeerAsync(const PeerCopy* copy, cudaStream_t stream) {
  return copy_box(copy, &stream);
}
WARPSCOPE_SAME(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);
WARPSCOPE_SAME(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

// CUDA 12.8 says which copy failed, CUDA 13 does not.
#if WARPSCOPE_RELEASE == 13
cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                 std::size_t count, const void* /*attributes*/, const std::size_t* /*starts*/,
                                 std::size_t attribute_count, cudaStream_t stream) {
  return copy_all(to, from, bytes, count, attribute_count, nullptr, stream);
}
#else
cudaError_t cudaMemcpyBatchAsync(void* const* to, void* const* from, const std::size_t* bytes,
                                 std::size_t count, const void* /*attributes*/, const std::size_t* /*starts*/,
                                 std::size_t attribute_count, std::size_t* failed, cudaStream_t stream) {
  return copy_all(to, from, bytes, count, attribute_count, failed, stream);
}
#endif
WARPSCOPE_SAME(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);
CUresult cuMemcpyBatchAsync(void* const* to, void* const* from, const std::size_t* bytes, std::size_t count,
                            const void* /*attributes*/, const std::size_t* /*starts*/,
                            std::size_t attribute_count, std::size_t* failed, CUstream stream) {
  return as_result(copy_all(to, from, bytes, count, attribute_count, failed, stream));
}
CUresult cuMemcpyBatchAsync_v2(void* const* to, void* const* from, const std::size_t* bytes,
                               std::size_t count, const void* /*attributes*/, const std::size_t* /*starts*/,
                               std::size_t attribute_count, CUstream stream) {
  return as_result(copy_all(to, from, bytes, count, attribute_count, nullptr, stream));
}
WARPSCOPE_SAME(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync);
WARPSCOPE_SAME(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2);

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, const std::size_t* bytes, std::size_t count,
                                      const cudaMemLocation* /*places*/, const std::size_t* /*starts*/,
                                      std::size_t place_count, unsigned long long flags,
                                      cudaStream_t /*stream*/) {
  return flags == 0 && place_count != 0 ? look_at_all(pointers, bytes, count) : cudaErrorInvalidValue;
}
/// What is discarded has no value that a program may count on: it keeps the one it had.
cudaError_t cudaMemDiscardBatchAsync(void** pointers, const std::size_t* bytes, std::size_t count,
                                     unsigned long long flags, cudaStream_t /*stream*/) {
  return flags == 0 ? look_at_all(pointers, bytes, count) : cudaErrorInvalidValue;
}
WARPSCOPE_SAME(cudaMemDiscardAndPrefetchBatchAsync, cudaMemPrefetchBatchAsync);
WARPSCOPE_SAME(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync);
WARPSCOPE_SAME(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync);
WARPSCOPE_SAME(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync);

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, const cudaMemLocation* location, int type) {
  return is_here(location, type) ? cudaDeviceGetDefaultMemPool(pool, 0) : cudaErrorInvalidValue;
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, const cudaMemLocation* location, int type) {
  return is_here(location, type) ? cudaDeviceGetMemPool(pool, 0) : cudaErrorInvalidValue;
}
cudaError_t cudaMemSetMemPool(const cudaMemLocation* location, int type, cudaMemPool_t pool) {
  return is_here(location, type) ? cudaDeviceSetMemPool(0, pool) : cudaErrorInvalidValue;
}
CUresult cuMemGetDefaultMemPool(cudaMemPool_t* pool, const cudaMemLocation* location, int type) {
  return as_result(cudaMemGetDefaultMemPool(pool, location, type));
}
CUresult cuMemGetMemPool(cudaMemPool_t* pool, const cudaMemLocation* location, int type) {
  return as_result(cudaMemGetMemPool(pool, location, type));
}
CUresult cuMemSetMemPool(const cudaMemLocation* location, int type, cudaMemPool_t pool) {
  return as_result(cudaMemSetMemPool(location, type, pool));
}
}
// NOLINTEND(readability-identifier-naming)
