#include "wrapper/layer/guarded_buffers.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpscope::layer {
namespace {

constexpr cl_mem_flags kOfContent = CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags kKnown = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY |
                                CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
                                kOfContent;

std::uint64_t number_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

std::optional<device::GuardedMemory> GuardedBuffers::memory_for(cl_context context, cl_mem_flags flags,
                                                                std::size_t size, const void* content) {
  const bool is_filled = (flags & CL_MEM_COPY_HOST_PTR) != 0;
  if ((flags & ~kKnown) != 0 || size == 0 || is_filled != (content != nullptr)) return std::nullopt;
  const auto devices = info_values<cl_device_id>(api->clGetContextInfo, context, CL_CONTEXT_DEVICES);
  if (devices.empty() || !std::ranges::all_of(devices, is_traceable)) return std::nullopt;
  const auto most = info_value<cl_ulong>(api->clGetDeviceInfo, devices.front(), CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  if (size > most) return std::nullopt;
  auto memory = device::GuardedMemory::allocate(size, device::kRecordedGuards);
  if (memory && is_filled) std::memcpy(memory->data(), content, size);
  return memory;
}

cl_mem_flags GuardedBuffers::own_flags(cl_mem_flags asked) {
  const cl_mem_flags access = asked == 0 ? cl_mem_flags{CL_MEM_READ_WRITE} : asked & ~kOfContent;
  return access | CL_MEM_USE_HOST_PTR;
}

void GuardedBuffers::add(cl_mem buffer, cl_mem_flags asked, device::GuardedMemory memory) {
  allocations_.add(number_of(memory.data()), memory.size(), "", (asked & CL_MEM_COPY_HOST_PTR) == 0);
  {
    const std::lock_guard lock(mutex_);
    buffers_.insert_or_assign(buffer, Buffer{asked, std::move(memory)});
  }
  // Call-backs run last to first, and this is the first: the application's own still find the memory.
  api->clSetMemObjectDestructorCallback(buffer, &GuardedBuffers::forget, this);
}

void CL_CALLBACK GuardedBuffers::forget(cl_mem buffer, void* self) {
  auto* const buffers = static_cast<GuardedBuffers*>(self);
  const std::lock_guard lock(buffers->mutex_);
  const auto found = buffers->buffers_.find(buffer);
  if (found == buffers->buffers_.end()) return;
  buffers->allocations_.remove(number_of(found->second.memory.data()));
  buffers->buffers_.erase(found);
}

void GuardedBuffers::answer(cl_mem object, cl_mem_info name, std::size_t size, void* value) const {
  if (value == nullptr || (name != CL_MEM_FLAGS && name != CL_MEM_HOST_PTR)) return;
  cl_mem root = object;
  while (const auto parent = info_value<cl_mem>(api->clGetMemObjectInfo, root, CL_MEM_ASSOCIATED_MEMOBJECT))
    root = parent;
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(root);
  if (found == buffers_.end()) return;
  if (name == CL_MEM_HOST_PTR && size >= sizeof(void*)) {
    const void* const none = nullptr;
    std::memcpy(value, &none, sizeof(none));
  }
  if (name == CL_MEM_FLAGS && size >= sizeof(cl_mem_flags)) {
    cl_mem_flags flags = 0;
    std::memcpy(&flags, value, sizeof(flags));
    flags = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | (found->second.asked & kOfContent);
    std::memcpy(value, &flags, sizeof(flags));
  }
}

}  // namespace warpscope::layer
