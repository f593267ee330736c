// The runtime's functions about memory (CUDA Runtime API, "Memory Management").
#include "wrapper/cuda/memory.h"

#include <fmt/format.h>

#include <cstring>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/api/devices.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/graphs/graph_memory.h"
#include "wrapper/cuda/graphs/plan.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/module.h"
#include "wrapper/cuda/state/arrays.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

constexpr std::size_t kPitchAlignment = 512;  // as texturePitchAlignment's multiple on every generation

std::size_t pitch_of(std::size_t width) {
  return (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
}

bool is_to_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}
bool is_from_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

void check_copy(const void* to, const void* from, std::size_t to_bytes, std::size_t from_bytes,
                cudaMemcpyKind kind) {
  require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
  require(to != nullptr && from != nullptr);
  if (is_to_device(kind)) Memory::get().require_device(to, to_bytes);
  if (is_from_device(kind)) Memory::get().require_device(from, from_bytes);
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return;
  check_copy(to, from, bytes, bytes, kind);
  std::memmove(to, from, bytes);
}

/// Bytes from the first of a rectangle to behind its last.
std::size_t extent_of(std::size_t pitch, std::size_t width, std::size_t height) {
  return pitch * (height - 1) + width;
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, cudaMemcpyKind kind) {
  if (width == 0 || height == 0) return;
  for (const std::size_t pitch : {to_pitch, from_pitch}) require_pitch(pitch, width);
  check_copy(to, from, extent_of(to_pitch, width, height), extent_of(from_pitch, width, height), kind);
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                 width);
}

void fill_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (width == 0 || height == 0) return;
  if (height > 1) require_pitch(pitch, width);  // one row may be longer than any pitch
  Memory::get().require_device(to, extent_of(pitch, width, height));
  for (std::size_t row = 0; row < height; ++row)
    std::memset(static_cast<char*>(to) + row * pitch, value, width);
}

const char* slice_of(const cudaPitchedPtr& place, const cudaPos& start, std::size_t depth) {
  return static_cast<const char*>(place.ptr) + ((start.z + depth) * place.ysize + start.y) * place.pitch +
         start.x;
}

void fill_box(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  for (std::size_t depth = 0; depth < extent.depth; ++depth)
    fill_rows(const_cast<char*>(slice_of(to, {0, 0, 0}, depth)), to.pitch, value, extent.width,
              extent.height);
}

/// One side of a copy: an array's elements as bytes in rows.
void take_array(const cudaArray* array, cudaPitchedPtr& place, cudaPos& start, const cudaExtent& extent) {
  require(start.x + extent.width <= array->width && start.y + extent.height <= array->rows() &&
          start.z + extent.depth <= array->planes());
  place = array->whole();
  start.x *= array->element_bytes;
}

void copy_box(cudaMemcpy3DParms box) {
  if (box.srcArray != nullptr) take_array(box.srcArray, box.srcPtr, box.srcPos, box.extent);
  if (box.dstArray != nullptr) take_array(box.dstArray, box.dstPtr, box.dstPos, box.extent);
  // With an array the extent counts its elements, otherwise bytes.
  const cudaArray* array = box.dstArray != nullptr ? box.dstArray : box.srcArray;
  if (array != nullptr) box.extent.width *= array->element_bytes;
  for (std::size_t depth = 0; depth < box.extent.depth; ++depth)
    copy_rows(const_cast<char*>(slice_of(box.dstPtr, box.dstPos, depth)), box.dstPtr.pitch,
              slice_of(box.srcPtr, box.srcPos, depth), box.srcPtr.pitch, box.extent.width, box.extent.height,
              box.kind);
}

void* symbol_part(const void* symbol, std::size_t offset, std::size_t bytes) {
  const auto variable = Registry::get().variable(symbol);
  require(offset <= variable.bytes && bytes <= variable.bytes - offset);
  return static_cast<char*>(variable.address) + offset;
}

void copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind) {
  require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  copy(symbol_part(symbol, offset, bytes), from, bytes, kind);
}

void copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind) {
  require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  copy(to, symbol_part(symbol, offset, bytes), bytes, kind);
}

/// Work of a stream: done now, or when the graph is launched to which the stream is captured.
template <class Work>
cudaError_t later(cudaStream_t stream, cudaGraphNodeType type, Work work, const Parameters& parameters = {}) {
  return run([&] {
    if (std::holds_alternative<std::monostate>(parameters))
      submit(stream, type, std::move(work));
    else
      submit(stream, type, std::move(work), parameters);
  });
}
/// Work of the legacy stream, for which the call waits.
template <class Work>
cudaError_t now(const Work& work) {
  return run([&] {
    require(!Captures::get().takes(nullptr), cudaErrorStreamCaptureUnsupported);
    work();
  });
}
/// The parameters of a node that does the same, of bytes.
cudaMemsetParams rows_fill(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return {to, pitch, static_cast<unsigned char>(value), 1, width, height};
}

/// For `place`, where the program wants to know it.
void* allocated(const void* place, std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
  const std::string name = take_next_name();
  require(place != nullptr);
  Captures::get().refuse_unsafe();
  return Memory::get().allocate(bytes, kind, name, flags);
}
cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
  use_primary_context();
  return run([&] { *pointer = allocated(pointer, bytes, kind, flags); });
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

void warpscopeNoteUntraced(const char* library) {
  run([&] {
    if (Device::get().is_traced())
      complain(fmt::format("{}'s own algorithms run on the CPU and are not traced; kernels are", library));
  });
}

void warpscopeNameNextAllocation(const char* arguments, const char* file, int line) {
  const std::string variable = variable_in(arguments);
  const char* const slash = std::strrchr(file, '/');
  name_next_allocation(!variable.empty() ? variable
                                         : fmt::format("{}:{}", slash != nullptr ? slash + 1 : file, line));
}

void warpscopeMapMemory(void* pointer, std::size_t bytes) {
  run([&] { Memory::get().adopt_symbol(pointer, bytes, ""); });
}
void warpscopeUnmapMemory(void* pointer) {
  run([&] { Memory::get().forget_symbol(pointer); });
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Device);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Host);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  constexpr unsigned kFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~kFlags) != 0) return note(cudaErrorInvalidValue);
  return allocate(pointer, bytes, MemoryKind::Host, flags);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  const bool is_valid = bytes != 0 && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
  if (!is_valid) return note(cudaErrorInvalidValue);
  return allocate(pointer, bytes, MemoryKind::Managed, flags);
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return run([&] {
    require(pitch != nullptr);
    *pointer = allocated(pointer, pitch_of(width) * height, MemoryKind::Device);
    *pitch = pitch_of(width);
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return run([&] {
    const std::size_t pitch = pitch_of(extent.width);
    void* const memory = allocated(pointer, pitch * extent.height * extent.depth, MemoryKind::Device);
    *pointer = {memory, pitch, extent.width, extent.height};
  });
}
cudaError_t cudaFree(void* pointer) {
  use_primary_context();
  return run([&] {
    if (pointer != nullptr) Captures::get().refuse_unsafe();
    if (!GraphMemory::get().release(pointer))
      Memory::get().release(pointer, MemoryKind::Device, MemoryKind::Managed);
  });
}
cudaError_t cudaFreeHost(void* pointer) {
  return run([&] {
    if (pointer != nullptr) Captures::get().refuse_unsafe();
    Memory::get().release(pointer, MemoryKind::Host, MemoryKind::Host);
  });
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return run([&] {
    constexpr unsigned kReadOnly = 8;  // cudaHostRegisterReadOnly
    constexpr unsigned kFlags =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | kReadOnly;
    require((flags & ~kFlags) == 0);
    Captures::get().refuse_unsafe();
    Memory::get().register_host(pointer, bytes, flags);
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return run([&] { Memory::get().unregister_host(pointer); });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return run([&] {
    require(device != nullptr && flags == 0);
    const auto allocation = Memory::get().find(host);
    require(allocation &&
            (allocation->kind == MemoryKind::Host || allocation->kind == MemoryKind::Registered));
    *device = host;
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return run([&] {
    const auto allocation = Memory::get().find(host);
    require(flags != nullptr && allocation && allocation->kind == MemoryKind::Host);
    *flags = allocation->flags;
  });
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  return run([&] {
    require(available != nullptr && total != nullptr);
    *total = Device::get().memory_bytes();
    *available = *total - Memory::get().used_bytes();
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return run([&] {
    require(attributes != nullptr);
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void*>(pointer)};
    const auto allocation = Memory::get().find(pointer);
    if (!allocation) return;
    void* const same = const_cast<void*>(pointer);
    switch (allocation->kind) {
      case MemoryKind::Device:
      case MemoryKind::Symbol:
      case MemoryKind::Heap:
        *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
        break;
      case MemoryKind::Managed:
        *attributes = {cudaMemoryTypeManaged, 0, same, same};
        break;
      case MemoryKind::Host:
      case MemoryKind::Registered:
        *attributes = {cudaMemoryTypeHost, 0, same, same};
    }
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  use_primary_context();
  return now([&] { copy(to, from, bytes, kind); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return later(
      stream, cudaGraphNodeTypeMemcpy, [=] { copy(to, from, bytes, kind); },
      rows_copy(to, bytes, from, bytes, bytes, 1, kind));
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  return run([&] {
    require_device_number(to_device);
    require_device_number(from_device);
    submit(
        stream, cudaGraphNodeTypeMemcpy, [=] { copy(to, from, bytes, cudaMemcpyDeviceToDevice); },
        rows_copy(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice));
  });
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return now([&] { copy_rows(to, to_pitch, from, from_pitch, width, height, kind); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return later(
      stream, cudaGraphNodeTypeMemcpy,
      [=] { copy_rows(to, to_pitch, from, from_pitch, width, height, kind); },
      rows_copy(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
  return now([&] {
    require(copy != nullptr);
    copy_box(*copy);
  });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  if (copy == nullptr) return note(cudaErrorInvalidValue);
  return later(
      stream, cudaGraphNodeTypeMemcpy, [box = *copy] { copy_box(box); }, *copy);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return now([&] { fill_rows(to, bytes, value, bytes, 1); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return later(
      stream, cudaGraphNodeTypeMemset, [=] { fill_rows(to, bytes, value, bytes, 1); },
      rows_fill(to, 0, value, bytes, 1));
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return now([&] { fill_rows(to, pitch, value, width, height); });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return later(
      stream, cudaGraphNodeTypeMemset, [=] { fill_rows(to, pitch, value, width, height); },
      rows_fill(to, pitch, value, width, height));
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return now([&] { fill_box(to, value, extent); });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return later(stream, cudaGraphNodeTypeMemset, [=] { fill_box(to, value, extent); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return now([&] { copy_to_symbol(symbol, from, bytes, offset, kind); });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return now([&] { copy_from_symbol(to, symbol, bytes, offset, kind); });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return later(stream, cudaGraphNodeTypeMemcpy, [=] { copy_to_symbol(symbol, from, bytes, offset, kind); });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return later(stream, cudaGraphNodeTypeMemcpy, [=] { copy_from_symbol(to, symbol, bytes, offset, kind); });
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return run([&] {
    require(address != nullptr);
    *address = Registry::get().variable(symbol).address;
  });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return run([&] {
    require(bytes != nullptr);
    *bytes = Registry::get().variable(symbol).bytes;
  });
}
}
