// The driver's contexts, of which all share the one device (CUDA Driver API, "Context Management", "Device Management", "Peer Context Memory
// Access").
#include "wrapper/cuda/releases/driver.h"

namespace {

/// CUdevprop: what CUdevice_attribute calls 1 to 14.
struct DeviceProperties {
  int values[14];
};

}  // namespace

using warpscope::cuda::releases::as_result;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

/// Numba looks for this name first, and calls it with one argument, so the context is not looked at.
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext /*context*/) {
  return cuCtxGetDevice(device);
}
CUresult cuCtxSynchronize_v2(CUcontext /*context*/) {
  return cuCtxSynchronize();
}
/// CUDA 11.4's: with a part of the GPU's cores for the context, which is not supported.
CUresult cuCtxCreate_v3(CUcontext* context, const void* /*affinities*/, int count, unsigned flags,
                        CUdevice device) {
  return count == 0 ? cuCtxCreate(context, flags, device)
                    : as_result(warpscopeNotSupported("cuCtxCreate with affinities"));
}
/// Its address: a context that is made later may have the number of one that is gone.
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  CUcontext current = nullptr;
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuCtxGetCurrent(&current);
  if (result != CUDA_SUCCESS) return result;
  if (context == nullptr && current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *id = reinterpret_cast<std::uintptr_t>(context != nullptr ? context : current);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetFlags(unsigned flags) {
  return cuDevicePrimaryCtxSetFlags(0, flags);
}
CUresult cuCtxGetSharedMemConfig(int* config) {
  return as_result(cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(config)));
}
CUresult cuCtxSetSharedMemConfig(int config) {
  return as_result(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)));
}
CUresult cuCtxResetPersistingL2Cache() {
  return as_result(cudaCtxResetPersistingL2Cache());
}
// Everything is done when its call returns.
CUresult cuCtxRecordEvent(CUcontext /*context*/, CUevent event) {
  return as_result(cudaEventRecord(event, nullptr));
}
CUresult cuCtxWaitEvent(CUcontext /*context*/, CUevent event) {
  return as_result(cudaStreamWaitEvent(nullptr, event, 0));
}

// No other device has contexts.
CUresult cuCtxEnablePeerAccess(CUcontext /*context*/, unsigned flags) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxDisablePeerAccess(CUcontext /*context*/) {
  return CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuDeviceGetP2PAttribute(int* value, int /*attribute*/, CUdevice /*from*/, CUdevice /*to*/) {
  return value == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetProperties(DeviceProperties* properties, CUdevice device) {
  if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int attribute = 1;
  for (int& value : properties->values) {
    const CUresult result =
        cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute++), device);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
