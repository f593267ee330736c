// The runtime's functions about devices, errors and versions (CUDA Runtime API, "Device Management").
#include "wrapper/cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/api/devices.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/device/stack_memory.h"

namespace warpscope::cuda {
namespace {

constexpr const char* kBusId = "0000:01:00.0";
constexpr int kThousand = 1000;

int number(std::optional<std::uint32_t> value, std::uint32_t otherwise = 0) {
  return static_cast<int>(value.value_or(otherwise));
}

/// Sizes of the programming guide that no preset differs in.
void set_fixed_limits(cudaDeviceProp& result) {
  const int most_threads[3] = {1024, 1024, 64};
  const int most_blocks[3] = {0x7fffffff, 65535, 65535};
  std::copy(most_threads, most_threads + 3, result.maxThreadsDim);
  std::copy(most_blocks, most_blocks + 3, result.maxGridSize);
  result.totalConstMem = 65536;
  result.memPitch = kMostPitch;
  result.textureAlignment = 512;
  result.texturePitchAlignment = 32;
  result.maxTexture1D = 131072;
  result.maxTexture1DLinear = 1 << 27;
  result.maxTexture2D[0] = 131072;
  result.maxTexture2D[1] = 65536;
  result.surfaceAlignment = 512;
  result.deviceOverlap = result.asyncEngineCount = 1;
  result.concurrentKernels = result.canMapHostMemory = result.unifiedAddressing = 1;
  result.streamPrioritiesSupported = result.managedMemory = result.concurrentManagedAccess = 1;
  result.canUseHostPointerForRegisteredMem = result.cooperativeLaunch = 1;
  result.globalL1CacheSupported = result.localL1CacheSupported = 1;
  result.pciBusID = 1;
}

cudaDeviceProp properties() {
  const GpuPreset& gpu = Device::gpu();
  cudaDeviceProp result = {};
  set_fixed_limits(result);
  const std::size_t length = std::min(gpu.description.size(), sizeof(result.name) - 1);
  std::memcpy(result.name, gpu.description.data(), length);
  result.totalGlobalMem = Device::get().memory_bytes();
  result.sharedMemPerBlock = shared_bytes_per_block();
  result.sharedMemPerBlockOptin = shared_bytes_per_block_optin();
  result.sharedMemPerMultiprocessor = gpu.local_bytes_per_core.value_or(0);
  result.reservedSharedMemPerBlock = gpu.local_reserved_bytes_per_work_group.value_or(0);
  result.regsPerBlock = result.regsPerMultiprocessor = number(gpu.registers_per_core);
  result.warpSize = static_cast<int>(gpu.warp_size);
  result.maxThreadsPerBlock = number(gpu.max_work_group_size, 1024);
  result.maxThreadsPerMultiProcessor = number(gpu.max_work_items_per_core, 2048);
  result.maxBlocksPerMultiProcessor = number(gpu.max_work_groups_per_core);
  result.multiProcessorCount = static_cast<int>(gpu.cores);
  result.clockRate = static_cast<int>(gpu.core_clock_mhz.value_or(kThousand) * kThousand);
  result.memoryClockRate = result.clockRate;  // presets have the bandwidth, which the program gets by this
  const double bytes_per_second = gpu.dram_bandwidth_gb_per_s.value_or(0) * 1e9;
  result.memoryBusWidth = static_cast<int>(bytes_per_second * 8 / (2.0 * result.memoryClockRate * kThousand));
  result.l2CacheSize = number(gpu.l2_size_kib) * 1024;
  const ComputeCapability capability = compute_capability(gpu);
  result.major = capability.major;
  result.minor = capability.minor;
  return result;
}

int attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
  const std::map<cudaDeviceAttr, int> values = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(p.totalConstMem)},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxPitch, static_cast<int>(p.memPitch)},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrClockRate, p.clockRate},
      {cudaDevAttrTextureAlignment, static_cast<int>(p.textureAlignment)},
      {cudaDevAttrGpuOverlap, p.deviceOverlap},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrKernelExecTimeout, p.kernelExecTimeoutEnabled},
      {cudaDevAttrIntegrated, p.integrated},
      {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      {cudaDevAttrComputeMode, p.computeMode},
      {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrEccEnabled, p.ECCEnabled},
      {cudaDevAttrPciBusId, p.pciBusID},
      {cudaDevAttrPciDeviceId, p.pciDeviceID},
      {cudaDevAttrTccDriver, p.tccDriver},
      {cudaDevAttrMemoryClockRate, p.memoryClockRate},
      {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrPciDomainId, p.pciDomainID},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
      {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, p.managedMemory},
      {cudaDevAttrIsMultiGpuBoard, p.isMultiGpuBoard},
      {cudaDevAttrMultiGpuBoardGroupID, p.multiGpuBoardGroupID},
      {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio},
      {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
      {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      {cudaDevAttrCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin)},
      {cudaDevAttrCanFlushRemoteWrites, 0},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
      {cudaDevAttrDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
      {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(p.reservedSharedMemPerBlock)},
      {cudaDevAttrMemoryPoolsSupported, 1},
  };
  constexpr int kVirtualMemoryManagement = 102, kLast = 146;  // of CUDA 13.0
  const auto value = values.find(attribute);
  if (value != values.end()) return value->second;
  const int number = attribute;
  require(number > 0 && number <= kLast);
  return number == kVirtualMemoryManagement ? 1 : 0;  // features that are not there, and sizes of theirs
}

/// What a program sets and asks for again, without any effect here, but for the stack's size.
struct Settings {
  unsigned flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
  std::map<int, std::size_t> limits = {
      {cudaLimitStackSize, 1024},           {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
      {cudaLimitDevRuntimeSyncDepth, 2},    {cudaLimitDevRuntimePendingLaunchCount, 2048},
      {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0}};
};
Settings settings;

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define WARPSCOPE_NAME(name, number, text) \
  case name:                               \
    return #name;
    WARPSCOPE_CUDA_ERRORS(WARPSCOPE_NAME)
#undef WARPSCOPE_NAME
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define WARPSCOPE_TEXT(name, number, text) \
  case name:                               \
    return text;
    WARPSCOPE_CUDA_ERRORS(WARPSCOPE_TEXT)
#undef WARPSCOPE_TEXT
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError(void) {
  return last_error(true);
}
cudaError_t cudaPeekAtLastError(void) {
  return last_error(false);
}

cudaError_t cudaGetDeviceCount(int* count) {
  return run([&] {
    require(count != nullptr);
    *count = 0;
    Device::get();
    *count = kDevices;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return run([&] {
    require(device != nullptr);
    *device = 0;
  });
}
cudaError_t cudaSetDevice(int device) {
  use_primary_context();
  return run([&] { require_device_number(device); });
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  constexpr unsigned kKnown = cudaDeviceScheduleSpin | cudaDeviceScheduleYield |
                              cudaDeviceScheduleBlockingSync | cudaDeviceMapHost | cudaDeviceLmemResizeToMax;
  return run([&] {
    require((flags & ~kKnown) == 0);
    settings.flags = flags;
  });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return run([&] {
    require(flags != nullptr);
    *flags = settings.flags;
  });
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
  return run([&] {
    require(devices != nullptr || count == 0);
    for (int at = 0; at < count; ++at) require_device_number(devices[at]);
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return run([&] {
    require(device != nullptr && wanted != nullptr);
    *device = 0;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  return run([&] {
    require(result != nullptr);
    require_device_number(device);
    *result = properties();
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return run([&] {
    require(value != nullptr);
    require_device_number(device);
    *value = attribute_of(properties(), attribute);
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return run([&] {
    require(text != nullptr && length > static_cast<int>(std::strlen(kBusId)));
    require_device_number(device);
    std::strcpy(text, kBusId);
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return run([&] {
    require(device != nullptr && text != nullptr);
    require(std::strcmp(text, kBusId) == 0, cudaErrorInvalidDevice);
    *device = 0;
  });
}
cudaError_t cudaDeviceSynchronize(void) {
  use_primary_context();
  return run([] { Captures::get().refuse_wait_for_all(); });
}
cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceReset(void) {
  return run([] {
    last_error(/*clear=*/true);
    Memory::get().release_all();
  });
}
cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return run([&] { settings.cache = config; });
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return run([&] {
    require(config != nullptr);
    *config = settings.cache;
  });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return run([&] { settings.banks = config; });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return run([&] {
    require(config != nullptr);
    *config = settings.banks;
  });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return run([&] {
    if (limit == cudaLimitMallocHeapSize) return set_heap_bytes(value);
    require(settings.limits.contains(limit), cudaErrorUnsupportedLimit);
    settings.limits[limit] = value;
    if (limit == cudaLimitStackSize) warpscope::device::request_stack_bytes(value);
  });
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return run([&] {
    require(value != nullptr);
    require(limit == cudaLimitMallocHeapSize || settings.limits.contains(limit), cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitMallocHeapSize ? heap_bytes() : settings.limits[limit];
  });
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned flags) {
  return run([&] {
    require(flags == 0);
    require_device_number(device);
  });
}
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return run([] {});
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr /*attribute*/, int device, int peer) {
  return run([&] {
    require(value != nullptr);
    require_device_number(device);
    require_device_number(peer);
    require(device != peer, cudaErrorInvalidDevice);  // so there is no pair of devices
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return run([&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return run([&] {
    require(can != nullptr);
    require_device_number(device);
    require_device_number(peer);
    *can = 0;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return run([] { require(false, cudaErrorInvalidDevice); });
}
cudaError_t cudaDeviceDisablePeerAccess(int /*peer*/) {
  return run([] { require(false, cudaErrorPeerAccessNotEnabled); });
}
cudaError_t cudaDriverGetVersion(int* version) {
  return run([&] {
    require(version != nullptr);
    *version = CUDART_VERSION;
  });
}
// A constant: unlike the driver's, it is returned after an error of a kernel, too (CUDA Runtime API, "Version Management").
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cudaDriverGetVersion(version);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart(void) {
  return run([] {});
}
cudaError_t cudaProfilerStop(void) {
  return run([] {});
}
}
