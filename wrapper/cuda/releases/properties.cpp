// What a device, a function and a pointer are like, in the layouts of each release.
#include "wrapper/cuda/releases/properties.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "wrapper/cuda/releases/core.h"

namespace warpscope::cuda::releases {
namespace {

/// `field` of both, if `to` has it.
#define WARPSCOPE_COPY(field)                              \
  if constexpr (requires { to.field; }) {                  \
    static_assert(sizeof(to.field) == sizeof(from.field)); \
    std::memcpy(&to.field, &from.field, sizeof(to.field)); \
  }

template <class To>
void copy_numbers(To& to, const cudaDeviceProp& from) {
  // clang-format off
  WARPSCOPE_COPY(name) WARPSCOPE_COPY(uuid) WARPSCOPE_COPY(totalGlobalMem) WARPSCOPE_COPY(sharedMemPerBlock)
  WARPSCOPE_COPY(regsPerBlock) WARPSCOPE_COPY(warpSize) WARPSCOPE_COPY(memPitch) WARPSCOPE_COPY(maxThreadsPerBlock)
  WARPSCOPE_COPY(maxThreadsDim) WARPSCOPE_COPY(maxGridSize) WARPSCOPE_COPY(clockRate) WARPSCOPE_COPY(totalConstMem)
  WARPSCOPE_COPY(major) WARPSCOPE_COPY(minor) WARPSCOPE_COPY(textureAlignment) WARPSCOPE_COPY(texturePitchAlignment)
  WARPSCOPE_COPY(deviceOverlap) WARPSCOPE_COPY(multiProcessorCount) WARPSCOPE_COPY(kernelExecTimeoutEnabled)
  WARPSCOPE_COPY(integrated) WARPSCOPE_COPY(canMapHostMemory) WARPSCOPE_COPY(computeMode) WARPSCOPE_COPY(maxTexture1D)
  WARPSCOPE_COPY(maxTexture1DMipmap) WARPSCOPE_COPY(maxTexture1DLinear) WARPSCOPE_COPY(maxTexture2D)
  WARPSCOPE_COPY(maxTexture2DLinear) WARPSCOPE_COPY(maxTexture3D) WARPSCOPE_COPY(maxTextureCubemap)
  WARPSCOPE_COPY(maxTexture1DLayered) WARPSCOPE_COPY(maxTexture2DLayered) WARPSCOPE_COPY(maxSurface1D)
  WARPSCOPE_COPY(maxSurface2D) WARPSCOPE_COPY(maxSurface3D) WARPSCOPE_COPY(surfaceAlignment) WARPSCOPE_COPY(concurrentKernels)
  WARPSCOPE_COPY(ECCEnabled) WARPSCOPE_COPY(pciBusID) WARPSCOPE_COPY(pciDeviceID) WARPSCOPE_COPY(pciDomainID)
  WARPSCOPE_COPY(tccDriver) WARPSCOPE_COPY(asyncEngineCount) WARPSCOPE_COPY(unifiedAddressing)
  // clang-format on
}

template <class To>
void copy_memory(To& to, const cudaDeviceProp& from) {
  // clang-format off
  WARPSCOPE_COPY(memoryClockRate) WARPSCOPE_COPY(memoryBusWidth) WARPSCOPE_COPY(l2CacheSize)
  WARPSCOPE_COPY(persistingL2CacheMaxSize) WARPSCOPE_COPY(maxThreadsPerMultiProcessor)
  WARPSCOPE_COPY(streamPrioritiesSupported) WARPSCOPE_COPY(globalL1CacheSupported) WARPSCOPE_COPY(localL1CacheSupported)
  WARPSCOPE_COPY(sharedMemPerMultiprocessor) WARPSCOPE_COPY(regsPerMultiprocessor) WARPSCOPE_COPY(managedMemory)
  WARPSCOPE_COPY(isMultiGpuBoard) WARPSCOPE_COPY(multiGpuBoardGroupID) WARPSCOPE_COPY(hostNativeAtomicSupported)
  WARPSCOPE_COPY(singleToDoublePrecisionPerfRatio) WARPSCOPE_COPY(pageableMemoryAccess)
  WARPSCOPE_COPY(concurrentManagedAccess) WARPSCOPE_COPY(computePreemptionSupported)
  WARPSCOPE_COPY(canUseHostPointerForRegisteredMem) WARPSCOPE_COPY(cooperativeLaunch)
  WARPSCOPE_COPY(cooperativeMultiDeviceLaunch) WARPSCOPE_COPY(sharedMemPerBlockOptin)
  WARPSCOPE_COPY(pageableMemoryAccessUsesHostPageTables) WARPSCOPE_COPY(directManagedMemAccessFromHost)
  WARPSCOPE_COPY(maxBlocksPerMultiProcessor) WARPSCOPE_COPY(accessPolicyMaxWindowSize)
  WARPSCOPE_COPY(reservedSharedMemPerBlock)
  // clang-format on
}
#undef WARPSCOPE_COPY

/// Limits that all GPUs since Maxwell have (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"), and what 12 added.
template <class To>
void add_others(To& to) {
  constexpr int kSide = 32768, kLayers = 2048, kCubeLayers = 2046;
  std::fill(std::begin(to.maxTexture2DMipmap), std::end(to.maxTexture2DMipmap), kSide);
  std::fill(std::begin(to.maxTexture2DGather), std::end(to.maxTexture2DGather), kSide);
  to.maxTextureCubemapLayered[0] = to.maxSurfaceCubemapLayered[0] = to.maxSurfaceCubemap = kSide;
  to.maxTextureCubemapLayered[1] = to.maxSurfaceCubemapLayered[1] = kCubeLayers;
  to.maxSurface1DLayered[0] = to.maxSurface2DLayered[0] = to.maxSurface2DLayered[1] = kSide;
  to.maxSurface1DLayered[1] = to.maxSurface2DLayered[2] = kLayers;
  if constexpr (requires { to.memoryPoolsSupported; }) {
    to.hostRegisterSupported = to.memoryPoolsSupported = 1;
    to.clusterLaunch = static_cast<int>(to.major >= 9);
    to.unifiedFunctionPointers = 0;
  }
}

template <class To>
cudaError_t properties(To* result, int device) {
  cudaDeviceProp ours;
  const cudaError_t status =
      WARPSCOPE_CORE(cudaGetDeviceProperties)(result != nullptr ? &ours : nullptr, device);
  if (status != cudaSuccess) return status;
  *result = {};
  copy_numbers(*result, ours);
  copy_memory(*result, ours);
  add_others(*result);
  return status;
}

/// `size` bytes at `result` as the release has them; the runtime writes the first of them.
template <class Structure, class... Arguments>
cudaError_t with_rest(cudaError_t (*function)(Structure*, Arguments...), Structure* result, std::size_t size,
                      Arguments... arguments) {
  if (result != nullptr) std::memset(static_cast<void*>(result), 0, size);
  return function(result, arguments...);
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): as the releases name them
extern "C" {

#if WARPSCOPE_RELEASE == 13
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  return properties(reinterpret_cast<Properties13*>(result), device);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  constexpr std::size_t kBytes = 88;  // eight words more than before
  return with_rest(WARPSCOPE_CORE(cudaPointerGetAttributes), attributes, kBytes, pointer);
}
#else
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  return properties(reinterpret_cast<Properties11*>(result), device);
}
#endif
#if WARPSCOPE_RELEASE == 12  // cuda_runtime_api.h has macros for these
cudaError_t cudaGetDeviceProperties_v2(Properties12* result, int device) {
  return properties(result, device);
}
cudaError_t cudaChooseDevice_v2(int* device, const Properties12* wanted) {
  return cudaChooseDevice(device, reinterpret_cast<const cudaDeviceProp*>(wanted));
}
#endif
#if WARPSCOPE_RELEASE >= 12
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  constexpr std::size_t kBytes = 144;  // with clusters, which no kernel here needs: 0
  return with_rest(WARPSCOPE_CORE(cudaFuncGetAttributes), attributes, kBytes, function);
}
#endif

cudaError_t cudaRuntimeGetVersion(int* version) {
  constexpr int kVersion = kRelease == 13 ? 13000 : kRelease == 12 ? 12090 : 11080;
  const cudaError_t status = WARPSCOPE_CORE(cudaRuntimeGetVersion)(version);
  if (status == cudaSuccess) *version = kVersion;
  return status;
}
cudaError_t cudaDriverGetVersion(int* version) {
  const cudaError_t status = WARPSCOPE_CORE(cudaDriverGetVersion)(version);
  return status == cudaSuccess ? cudaRuntimeGetVersion(version) : status;  // a driver is never older
}
CUresult cuDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
}
// NOLINTEND(readability-identifier-naming)
