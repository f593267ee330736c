// The driver API's memory, streams and events (CUDA Driver API, "Memory Management", "Stream Management", "Event Management").
#include <algorithm>
#include <cstdint>

#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

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

/// Values are aligned, and their bytes can be counted (CUDA Driver API, "Memory Management").
template <class Value>
bool is_fillable(CUdeviceptr to, std::size_t count) {
  return to % sizeof(Value) == 0 && count <= SIZE_MAX / sizeof(Value);
}

template <class Value>
CUresult set_memory(CUdeviceptr to, Value value, std::size_t count) {
  return drive([&] {
    if (!is_fillable<Value>(to, count)) return cudaErrorInvalidValue;
    const cudaError_t error = cudaMemset(pointer_of(to), 0, count * sizeof(Value));
    if (error == cudaSuccess) std::fill_n(static_cast<Value*>(pointer_of(to)), count, value);
    return error;
  });
}

/// Now, or as a node of the graph that the stream is captured to.
template <class Value>
CUresult set_later(CUdeviceptr to, Value value, std::size_t count, CUstream stream) {
  const cudaMemsetParams set{pointer_of(to), 0, value, sizeof value, count, 1};
  bool is_captured = false;
  const CUresult captured = drive([&] {
    if (!is_fillable<Value>(to, count)) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    is_captured = warpscopeCaptureFill(stream, &set, &error) != 0;
    return error;
  });
  return is_captured || captured != CUDA_SUCCESS ? captured : set_memory(to, value, count);
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

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
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return drive([&] { return cudaLaunchHostFunc(stream, function, data); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  // The runtime's callback has the same parameters, and the same number for success.
  return drive([&] {
    return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
  });
}

CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return drive([&] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
  return drive([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* pointer, void* host, unsigned flags) {
  return allocate(pointer, [&](void** memory) { return cudaHostGetDevicePointer(memory, host, flags); });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return drive([&] { return cudaHostGetFlags(flags, pointer); });
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr pointer) {
  return drive([&] {
    const auto allocation = Memory::get().find(pointer_of(pointer));
    if (!allocation) return cudaErrorInvalidValue;
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return cudaSuccess;
  });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return drive([&] {
    cudaPointerAttributes known;
    const cudaError_t error = cudaPointerGetAttributes(&known, pointer_of(pointer));
    if (error != cudaSuccess) return error;
    // The runtime also answers for memory that CUDA does not know.
    if (value == nullptr || known.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(value) = current_context();
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(value) =
            known.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *static_cast<CUdeviceptr*>(value) = pointer;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<bool*>(value) = known.type == cudaMemoryTypeManaged;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(value) = 0;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return set_later(to, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return set_later(to, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return set_later(to, value, count, stream);
}
}
