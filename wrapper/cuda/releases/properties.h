#pragma once
// cudaDeviceProp as each release lays it out ("cudaDeviceProp Struct Reference" of 11.8, 12.9 and 13.0).
#include <cstddef>

namespace warpscope::cuda::releases {

/// What all begin with.
#define WARPSCOPE_PROPERTIES_BEGIN               \
  char name[256], uuid[16], luid[8];             \
  unsigned luidDeviceNodeMask;                   \
  std::size_t totalGlobalMem, sharedMemPerBlock; \
  int regsPerBlock, warpSize;                    \
  std::size_t memPitch;                          \
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
#define WARPSCOPE_PROPERTIES_TEXTURES int maxTexture1D, maxTexture1DMipmap;
#define WARPSCOPE_PROPERTIES_IMAGES                                                                          \
  int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], \
      maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3],                 \
      maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2],   \
      maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];                                \
  std::size_t surfaceAlignment;                                                                              \
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,        \
      unifiedAddressing;
#define WARPSCOPE_PROPERTIES_MEMORY                                                       \
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, \
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;           \
  std::size_t sharedMemPerMultiprocessor;                                                 \
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
#define WARPSCOPE_PROPERTIES_END                                                                          \
  std::size_t sharedMemPerBlockOptin;                                                                     \
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, \
      accessPolicyMaxWindowSize;                                                                          \
  std::size_t reservedSharedMemPerBlock;
/// What 12 added.
#define WARPSCOPE_PROPERTIES_ADDED                                                     \
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,  \
      timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported; \
  unsigned gpuDirectRDMAFlushWritesOptions;                                            \
  int gpuDirectRDMAWritesOrdering;                                                     \
  unsigned memoryPoolSupportedHandleTypes;                                             \
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;

#define WARPSCOPE_PROPERTIES_11                                                                   \
  WARPSCOPE_PROPERTIES_BEGIN                                                                      \
  int clockRate;                                                                                  \
  std::size_t totalConstMem;                                                                      \
  int major, minor;                                                                               \
  std::size_t textureAlignment, texturePitchAlignment;                                            \
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, \
      computeMode;                                                                                \
  WARPSCOPE_PROPERTIES_TEXTURES                                                                   \
  int maxTexture1DLinear;                                                                         \
  WARPSCOPE_PROPERTIES_IMAGES                                                                     \
  int memoryClockRate;                                                                            \
  WARPSCOPE_PROPERTIES_MEMORY                                                                     \
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,            \
      computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch,           \
      cooperativeMultiDeviceLaunch;                                                               \
  WARPSCOPE_PROPERTIES_END

struct Properties11 {
  WARPSCOPE_PROPERTIES_11
};
struct Properties12 {
  WARPSCOPE_PROPERTIES_11
  WARPSCOPE_PROPERTIES_ADDED
  int reserved[63];
};
struct Properties13 {
  WARPSCOPE_PROPERTIES_BEGIN
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  WARPSCOPE_PROPERTIES_TEXTURES
  WARPSCOPE_PROPERTIES_IMAGES
  WARPSCOPE_PROPERTIES_MEMORY
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch;
  WARPSCOPE_PROPERTIES_END
  WARPSCOPE_PROPERTIES_ADDED
  int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported, reserved[56];
};
static_assert(sizeof(Properties11) == 728 && offsetof(Properties11, reservedSharedMemPerBlock) == 720);
static_assert(sizeof(Properties12) == 1032 && offsetof(Properties12, unifiedFunctionPointers) == 776);
static_assert(sizeof(Properties13) == 1008 && offsetof(Properties13, surfaceAlignment) == 552 &&
              offsetof(Properties13, memoryBusWidth) == 592 && offsetof(Properties13, reserved) == 784);

}  // namespace warpscope::cuda::releases
