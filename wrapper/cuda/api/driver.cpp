// The driver API (CUDA Driver API), on the runtime's functions: all contexts share one memory and one device.
#include "wrapper/cuda/api/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/state/status.h"

struct CUctx_st {
  unsigned flags = 0;
};

namespace warpscope::cuda {
namespace {

std::atomic<bool> is_initialised = false;
thread_local std::vector<CUcontext> current;  ///< the last one is it
thread_local int driver_calls = 0;            ///< that are running

/// What runtime and driver call the same, by the runtime's name.
struct Name {
  CUresult result;
  const char* name;
};
constexpr Name kNames[] = {
#define WARPSCOPE_NAME(result, number) {result, #result},
    WARPSCOPE_DRIVER_RESULTS(WARPSCOPE_NAME)
#undef WARPSCOPE_NAME
};

const Name* find(CUresult result) {
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                         [&](const Name& known) { return known.result == result; });
  return found != std::end(kNames) ? found : nullptr;
}

/// The device exists, and the program has a place for what it asks.
template <class Value, class Work>
CUresult ask_device(CUdevice device, Value* value, const Work& work) {
  return drive([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (value == nullptr) return cudaErrorInvalidValue;
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) work(properties);
    return error;
  });
}

CUcontext primary_context() {
  static const CUcontext context = Handles<CUctx_st>::get().add(std::make_unique<CUctx_st>());
  return context;
}

CUresult check_context(CUcontext context) {
  return drive(
      [&] { return run([&] { Handles<CUctx_st>::get().check(context, cudaErrorDeviceUninitialized); }); });
}

}  // namespace

CUresult as_result(cudaError_t error) {
  if (error == cudaSuccess) return CUDA_SUCCESS;
  last_error(/*clear=*/true);
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  const auto result = static_cast<CUresult>(error);
  if (find(result) != nullptr) return result;
  return error < cudaErrorNoDevice ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN;
}

bool is_driver_initialised() {
  return is_initialised;
}

void use_primary_context() {
  thread_local bool is_bound = false;
  if (driver_calls > 0 || std::exchange(is_bound, true)) return;
  is_initialised = true;
  if (current.empty()) current.push_back(primary_context());
}

DriverCall::DriverCall() {
  ++driver_calls;
}
DriverCall::~DriverCall() {
  --driver_calls;
}

CUcontext current_context() {
  return current.empty() ? nullptr : current.back();
}

}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

CUresult cuInit(unsigned flags) {
  int count = 0;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = as_result(cudaGetDeviceCount(&count));
  is_initialised = result == CUDA_SUCCESS;
  return result;
}
CUresult cuDriverGetVersion(int* version) {
  return as_result(cudaDriverGetVersion(version));
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Name* const known = find(error);
  *name = known != nullptr ? known->name : nullptr;
  return known != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool is_known = find(error) != nullptr;
  *text = is_known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) {
  return drive([&] { return cudaGetDeviceCount(count); });
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return ask_device(ordinal, device, [&](const cudaDeviceProp&) { *device = ordinal; });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (length < 1) return CUDA_ERROR_INVALID_VALUE;
  return ask_device(device, name, [&](const cudaDeviceProp& properties) {
    const std::string said = fmt::format("Warpscope (simulated {})", properties.name);
    std::strncpy(name, said.c_str(), static_cast<std::size_t>(length));
    name[length - 1] = '\0';
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return ask_device(device, uuid, [&](const cudaDeviceProp& properties) { *uuid = properties.uuid; });
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return ask_device(device, bytes,
                    [&](const cudaDeviceProp& properties) { *bytes = properties.totalGlobalMem; });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return drive([&] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return ask_device(device, major, [&](const cudaDeviceProp& properties) {
    *major = properties.major;
    *minor = properties.minor;
  });
}

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return ask_device(device, context, [&](const cudaDeviceProp&) {
    *context = Handles<CUctx_st>::get().add(std::make_unique<CUctx_st>(CUctx_st{flags}));
    current.push_back(*context);
  });
}
CUresult cuCtxDestroy(CUcontext context) {
  return drive([&] {
    return run([&] {
      Handles<CUctx_st>::get().remove(context, cudaErrorDeviceUninitialized);
      std::erase(current, context);
    });
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!current.empty()) current.pop_back();
  return context == nullptr ? drive([] { return cudaSuccess; }) : cuCtxPushCurrent(context);
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = current.empty() ? nullptr : current.back();
  return drive([] { return cudaSuccess; });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  const CUresult result = check_context(context);
  if (result == CUDA_SUCCESS) current.push_back(context);
  return result;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current.back();
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  return ask_device(0, device, [&](const cudaDeviceProp&) { *device = 0; });
}
CUresult cuCtxSynchronize() {
  return drive([] { return cudaDeviceSynchronize(); });
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return ask_device(device, context, [&](const cudaDeviceProp&) { *context = primary_context(); });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? drive([] { return cudaSuccess; }) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return device == 0 ? drive([] { return cudaDeviceReset(); }) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return device == 0 ? drive([&] { return cudaSetDeviceFlags(flags); }) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* is_active) {
  if (is_active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return ask_device(device, flags, [&](const cudaDeviceProp&) { *flags = 0, *is_active = 1; });
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return drive([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  return drive([&] { return cudaDeviceGetPCIBusId(text, bytes, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return drive([&] { return cudaDeviceGetByPCIBusId(device, text); });
}

CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuCtxGetCurrent(context);
  return result == CUDA_SUCCESS && *context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : result;
}
CUresult cuCtxDetach(CUcontext context) {
  return cuCtxDestroy(context);
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  constexpr unsigned kVersion = 3020;  // of all contexts since CUDA 3.2
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = kVersion;
  return context == nullptr ? CUDA_SUCCESS : check_context(context);
}
CUresult cuCtxGetFlags(unsigned* flags) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  return ask_device(0, flags, [&](const cudaDeviceProp&) { *flags = current.back()->flags; });
}
CUresult cuCtxGetLimit(std::size_t* value, int limit) {
  return drive([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(int limit, std::size_t value) {
  return drive([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetCacheConfig(int* config) {
  return drive([&] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)); });
}
CUresult cuCtxSetCacheConfig(int config) {
  return drive([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuProfilerStart() {
  return drive([] { return cudaProfilerStart(); });
}
CUresult cuProfilerStop() {
  return drive([] { return cudaProfilerStop(); });
}

// Tables that NVIDIA's libraries share with its driver. NVRTC asks for one where it finds a driver, and compiles without it.
CUresult cuGetExportTable(const void** table, const CUuuid* /*which*/) {
  if (table == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

// A name without a version is of the newest, which is what ours are.
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int /*version*/,
                             unsigned long long /*flags*/, int* found) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  static void* const self = [] {
    Dl_info own{};
    return dladdr(reinterpret_cast<const void*>(&cuInit), &own) != 0
               ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  *function = self != nullptr && std::string_view(symbol).starts_with("cu") ? dlsym(self, symbol) : nullptr;
  if (found != nullptr) *found = *function == nullptr ? 1 : 0;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
}
