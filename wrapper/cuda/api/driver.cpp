// The driver API (CUDA Driver API), on the runtime's functions: all contexts share one memory and one device.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/state/status.h"

struct CUctx_st {
  unsigned flags = 0;
};

namespace warpscope::cuda {
namespace {

std::atomic<bool> is_initialised = false;
thread_local std::vector<CUcontext> current;  ///< the last one is it

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

/// The numbers are the same, but the runtime tells more apart. The driver has no last error.
CUresult as_result(cudaError_t error) {
  if (error == cudaSuccess) return CUDA_SUCCESS;
  last_error(/*clear=*/true);
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  const auto result = static_cast<CUresult>(error);
  if (find(result) != nullptr) return result;
  return error < cudaErrorNoDevice ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN;
}

/// Runs `work`, which gives a runtime's error, once cuInit() was called.
template <class Work>
CUresult drive(const Work& work) {
  return is_initialised ? as_result(work()) : CUDA_ERROR_NOT_INITIALIZED;
}

void* pointer_of(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's pointers are numbers
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

/// `allocate` gives a pointer.
template <class Allocate>
CUresult allocate(CUdeviceptr* pointer, const Allocate& allocate_into) {
  return drive([&] {
    void* memory = nullptr;
    const cudaError_t error = pointer != nullptr ? allocate_into(&memory) : cudaErrorInvalidValue;
    if (error == cudaSuccess) *pointer = reinterpret_cast<std::uintptr_t>(memory);
    return error;
  });
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

template <class Value>
CUresult set_memory(CUdeviceptr to, Value value, std::size_t count) {
  return drive([&] {
    const cudaError_t error = cudaMemset(pointer_of(to), 0, count * sizeof(Value));
    if (error == cudaSuccess) std::fill_n(static_cast<Value*>(pointer_of(to)), count, value);
    return error;
  });
}

CUresult refuse_module(const char* function) {
  complain(std::string(function) +
           ": code for a GPU (PTX, cubin, fatbin) cannot run here; expected kernels that warpscope-nvcc has "
           "compiled "
           "into the program (cudaGetFuncBySymbol)");
  note_refusal();
  return CUDA_ERROR_NOT_SUPPORTED;
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
    std::strncpy(name, properties.name, static_cast<std::size_t>(length));
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

CUresult cuMemGetInfo(std::size_t* available, std::size_t* total) {
  return drive([&] { return cudaMemGetInfo(available, total); });
}
CUresult(cuMemAlloc)(CUdeviceptr* pointer, std::size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer, [&](void** memory) { return (cudaMalloc)(memory, bytes); });
}
CUresult(cuMemAllocManaged)(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  return allocate(pointer, [&](void** memory) { return (cudaMallocManaged)(memory, bytes, flags); });
}
CUresult(cuMemAllocPitch)(CUdeviceptr* pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                          unsigned element_bytes) {
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer, [&](void** memory) { return (cudaMallocPitch)(memory, pitch, width, height); });
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return drive([&] { return cudaFree(pointer_of(pointer)); });
}
CUresult(cuMemAllocHost)(void** pointer, std::size_t bytes) {
  return drive([&] { return (cudaMallocHost)(pointer, bytes); });
}
CUresult(cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags) {
  return drive([&] { return (cudaHostAlloc)(pointer, bytes, flags); });
}
CUresult cuMemFreeHost(void* pointer) {
  return drive([&] { return cudaFreeHost(pointer); });
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return drive([&] { return cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault); });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return drive([&] { return cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return drive([&] { return cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return drive([&] {
    return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream);
  });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoHAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return set_memory(to, value, count);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
  return set_memory(to, value, count);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  return set_memory(to, value, count);
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return drive([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return drive([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return drive([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return drive([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return drive([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return drive([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return drive([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return drive([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventSynchronize(CUevent event) {
  return drive([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
  return drive([&] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return drive([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

CUresult cuModuleLoad(CUmodule* /*module*/, const char* /*file*/) {
  return refuse_module("cuModuleLoad");
}
CUresult cuModuleLoadData(CUmodule* /*module*/, const void* /*image*/) {
  return refuse_module("cuModuleLoadData");
}
CUresult cuModuleLoadDataEx(CUmodule* /*module*/, const void* /*image*/, unsigned /*options*/, int* /*names*/,
                            void** /*values*/) {
  return refuse_module("cuModuleLoadDataEx");
}
CUresult cuModuleLoadFatBinary(CUmodule* /*module*/, const void* /*image*/) {
  return refuse_module("cuModuleLoadFatBinary");
}
CUresult cuModuleGetFunction(CUfunction* /*function*/, CUmodule /*module*/, const char* /*name*/) {
  return CUDA_ERROR_INVALID_HANDLE;  // there is no module
}
CUresult cuModuleGetGlobal(CUdeviceptr* /*pointer*/, std::size_t* /*bytes*/, CUmodule /*module*/,
                           const char* /*name*/) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuModuleUnload(CUmodule /*module*/) {
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return drive([&] {
    cudaFuncAttributes known;
    const cudaError_t error = cudaFuncGetAttributes(&known, function);
    if (error != cudaSuccess) return error;
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = known.maxThreadsPerBlock;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(known.sharedSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = known.numRegs;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = known.maxDynamicSharedSizeBytes;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = known.preferredShmemCarveout;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return drive(
      [&] { return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value); });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     std::size_t shared_bytes) {
  return drive([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
  });
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  if (extra != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return drive([&] {
    return cudaLaunchKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                            arguments, shared_bytes, stream);
  });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return drive([&] { return cudaLaunchHostFunc(stream, function, data); });
}
}
