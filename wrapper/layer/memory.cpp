#include "wrapper/layer/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpscope::layer {
namespace {

constexpr std::size_t kFreedThatAreKnown = 256;  // bounds what is kept for messages

std::string name_of_flags(cl_mem_flags flags) {
  if ((flags & CL_MEM_READ_ONLY) != 0) return "read_only";
  return (flags & CL_MEM_WRITE_ONLY) != 0 ? "write_only" : "read_write";
}

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

BufferPart Memory::find(cl_mem object, const std::string& name, AddressSpace space) {
  BufferPart part;
  part.size = info_value<std::size_t>(api->clGetMemObjectInfo, object, CL_MEM_SIZE);
  cl_mem root = object;
  while (const auto parent = info_value<cl_mem>(api->clGetMemObjectInfo, root, CL_MEM_ASSOCIATED_MEMOBJECT)) {
    part.offset += info_value<std::size_t>(api->clGetMemObjectInfo, root, CL_MEM_OFFSET);
    root = parent;
  }
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = buffers_.emplace(root, Buffer{});
  Buffer& buffer = entry->second;
  if (is_new) {
    buffer.size = info_value<std::size_t>(api->clGetMemObjectInfo, root, CL_MEM_SIZE);
    buffer.context = info_value<cl_context>(api->clGetMemObjectInfo, root, CL_MEM_CONTEXT);
    buffer.flags = name_of_flags(info_value<cl_mem_flags>(api->clGetMemObjectInfo, root, CL_MEM_FLAGS));
    buffer.id = session_.add_buffer({BufferId(0), name, space, buffer.size, buffer.flags, false});
    // Of one in memory of ours, which the application is not told.
    allocations_.number(address_of(info_value<void*>(api->clGetMemObjectInfo, root, CL_MEM_HOST_PTR)),
                        buffer.id, name);
    // The next object at this handle is another one.
    api->clSetMemObjectDestructorCallback(root, &Memory::forget, this);
  }
  part.buffer = buffer.id;
  return part;
}

void CL_CALLBACK Memory::forget(cl_mem object, void* memory) {
  auto* self = static_cast<Memory*>(memory);
  const std::lock_guard lock(self->mutex_);
  self->buffers_.erase(object);
}

void Memory::add_svm(cl_context context, const void* address, std::size_t size, cl_svm_mem_flags flags) {
  const std::lock_guard lock(mutex_);
  svm_[address_of(address)] = {BufferId(0), size,     address_of(address), context, name_of_flags(flags), "",
                               {},          ++orders_};
  allocations_.add(address_of(address), size, "", true);
}

void Memory::name_svm(cl_context context, const void* address, std::size_t size, const std::string& name,
                      const void* room, std::size_t room_size, MemoryUse use) {
  if (size == 0) return remove_svm(address);
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = svm_.try_emplace(address_of(address));
  if (is_new)
    entry->second = {BufferId(0), size, address_of(address), context, "read_write", "", {}, ++orders_};
  if (use != MemoryUse::Kept) allocations_.add(address_of(address), size, name, use == MemoryUse::Fresh);
  entry->second.name = name;
  if (room_size != 0) entry->second.room = {address_of(room), room_size};
}

void Memory::remove_svm(const void* address) {
  const std::lock_guard lock(mutex_);
  allocations_.remove(address_of(address));
  const auto entry = svm_.find(address_of(address));
  if (entry == svm_.end()) return;
  freed_.push_front(std::move(entry->second));
  if (freed_.size() > kFreedThatAreKnown) freed_.pop_back();
  svm_.erase(entry);
}

void Memory::number(Buffer& buffer, const std::string& name, AddressSpace space) {
  if (buffer.id.value() != 0) return;
  const bool has_own_name = !buffer.name.empty();
  buffer.id = session_.add_buffer(
      {BufferId(0), has_own_name ? buffer.name : name, space, buffer.size, buffer.flags, has_own_name});
  allocations_.number(buffer.address, buffer.id, name);
}

BufferPart Memory::find_svm(const void* address, const std::string& name, AddressSpace space) {
  const std::lock_guard lock(mutex_);
  auto after = svm_.upper_bound(address_of(address));
  if (after == svm_.begin()) return {};
  Buffer& buffer = std::prev(after)->second;
  const std::uint64_t offset = address_of(address) - buffer.address;
  if (offset >= buffer.size) return {};
  number(buffer, name, space);
  return {buffer.id, offset, buffer.size - offset};
}

NearestAllocation Memory::nearest_svm(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = svm_.upper_bound(address);
  const Buffer* nearest = after == svm_.end() ? nullptr : &after->second;
  if (after != svm_.begin()) {
    const Buffer& before = std::prev(after)->second;
    const std::uint64_t end = before.address + before.size;
    if (nearest == nullptr || address < end || address - end <= nearest->address - address) nearest = &before;
  }
  const auto holds = [&](const Buffer& buffer) { return address - buffer.address < buffer.size; };
  const auto is_around = [&](const AddressGuard::Range& room) { return address - room.base < room.size; };
  // What lay there before is of no interest in an allocation, or in the room around one.
  const bool is_known = nearest != nullptr && (holds(*nearest) || is_around(nearest->room));
  const auto freed = is_known ? freed_.end() : std::find_if(freed_.begin(), freed_.end(), holds);
  const bool is_freed = freed != freed_.end();
  if (is_freed) nearest = &*freed;
  if (nearest == nullptr) return {};
  return {{nearest->address, nearest->size},
          nearest->name.empty() ? "an allocation" : nearest->name,
          is_freed,
          nearest->room};
}

void Memory::learn_address(const BufferPart& part, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  for (auto& [object, buffer] : buffers_)
    if (buffer.id == part.buffer) buffer.address = address - part.offset;
}

std::vector<PlacedObject> Memory::placed(cl_context context) {
  const std::lock_guard lock(mutex_);
  std::vector<PlacedObject> result;
  for (const auto& [object, buffer] : buffers_)
    if (buffer.context == context && buffer.address != 0)
      result.push_back({buffer.address, buffer.size, buffer.id});
  std::vector<Buffer*> shared;
  for (auto& [address, buffer] : svm_)
    if (buffer.context == context) shared.push_back(&buffer);
  // Numbers follow the program, not where its memory lies.
  std::ranges::sort(shared, {}, &Buffer::order);
  for (Buffer* buffer : shared) {
    if (!buffer->name.empty()) number(*buffer, "", AddressSpace::Global);
    if (buffer->id.value() != 0) result.push_back({buffer->address, buffer->size, buffer->id});
  }
  return result;
}

std::vector<PlacedObject> Memory::all_placed(cl_context context) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<Buffer*> shared;
    for (auto& [address, buffer] : svm_)
      if (buffer.context == context) shared.push_back(&buffer);
    std::ranges::sort(shared, {}, &Buffer::order);
    for (Buffer* buffer : shared)
      number(*buffer, fmt::format("allocation_{}", buffer->order), AddressSpace::Global);
  }
  return placed(context);
}

}  // namespace warpscope::layer
