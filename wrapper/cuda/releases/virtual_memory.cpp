// Addresses that a program reserves, and memory that it maps there (CUDA Driver API, "Virtual Memory Management"). Memory is a file without a
// name, so that it can be at several addresses; until it is made accessible, nobody can touch it.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "wrapper/cuda/releases/driver.h"

namespace warpscope::cuda::releases {
namespace {

using Handle = unsigned long long;

constexpr std::size_t kGranularity = std::size_t{2} << 20U;  // bytes, of all GPUs so far
constexpr int kPinned = 1, kOnDevice = 1;
constexpr unsigned long long kReadWrite = 3;

/// CUmemLocation.
struct Location {
  int type, id;
};
/// CUmemAllocationProp.
struct Properties {
  int type, handle_types;
  Location location;
  void* security;
  unsigned char flags[8];
};
/// CUmemAccessDesc.
struct Access {
  Location location;
  int flags;
};

/// What cuMemCreate() made. The file is open until the handle is released; mappings stay.
struct Block {
  int file = -1;
  std::size_t bytes = 0;
  Properties properties{};
};
struct Mapping {
  std::size_t bytes = 0;
  Handle block = 0;
  unsigned long long access = 0;  ///< 0, read or read and write
};

/// Thread-safe. Addresses and sizes in bytes.
class AddressSpace {
 public:
  static AddressSpace& get() {
    static auto* space = new AddressSpace;
    return *space;
  }

  CUresult reserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint);
  CUresult free(CUdeviceptr address, std::size_t bytes);
  CUresult create(Handle* handle, std::size_t bytes, const Properties* properties);
  CUresult release(Handle handle);
  CUresult map(CUdeviceptr address, std::size_t bytes, Handle handle);
  CUresult unmap(CUdeviceptr address, std::size_t bytes);
  CUresult set_access(CUdeviceptr address, std::size_t bytes, unsigned long long access);
  CUresult access_of(CUdeviceptr address, unsigned long long* access);
  CUresult block_at(void* address, Handle* handle);
  CUresult properties_of(Handle handle, Properties* properties);

 private:
  using Reserved = std::map<CUdeviceptr, std::size_t>;

  /// The reservation of all of these addresses; end(): there is none.
  Reserved::iterator around(CUdeviceptr address, std::size_t bytes);
  /// Whether mappings fill this place, each as a whole.
  bool is_mapped(CUdeviceptr address, std::size_t bytes);
  bool overlaps(CUdeviceptr address, std::size_t bytes);
  /// Tells the runtime what of a reservation can be used: mappings side by side are one piece of memory.
  void publish(const Reserved::value_type& reserved);

  std::mutex mutex_;
  Reserved reserved_;
  std::map<CUdeviceptr, Mapping> mappings_;
  std::map<CUdeviceptr, std::size_t> published_;
  std::map<Handle, Block> blocks_;
  Handle next_ = 1;
};

CUresult AddressSpace::reserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                               CUdeviceptr hint) {
  const std::size_t step = alignment == 0 ? kGranularity : alignment;
  const bool is_right = address != nullptr && bytes != 0 && bytes % kGranularity == 0;
  if (!is_right || (step & (step - 1)) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto take = [](CUdeviceptr at, std::size_t size, int fixed) {
    return mmap(pointer_of(at), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  };
  void* memory = hint != 0 && hint % step == 0 ? take(hint, bytes, MAP_FIXED_NOREPLACE) : MAP_FAILED;
  if (memory != MAP_FAILED && memory != pointer_of(hint)) munmap(memory, bytes);
  if (memory != pointer_of(hint) || hint == 0) {
    const std::size_t room = bytes + step;
    memory = take(0, room, 0);
    if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t start = (first + step - 1) / step * step;
    if (start != first) munmap(memory, start - first);
    if (first + room != start + bytes) munmap(pointer_of(start + bytes), first + room - start - bytes);
    memory = pointer_of(start);
  }
  *address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(mutex_);
  reserved_[*address] = bytes;
  return CUDA_SUCCESS;
}

CUresult AddressSpace::free(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(address);
  if (found == reserved_.end() || found->second != bytes || overlaps(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  munmap(pointer_of(address), bytes);
  reserved_.erase(found);
  return CUDA_SUCCESS;
}

CUresult AddressSpace::create(Handle* handle, std::size_t bytes, const Properties* properties) {
  if (handle == nullptr || properties == nullptr || properties->type != kPinned || bytes == 0 ||
      bytes % kGranularity != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type == kOnDevice && properties->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::size_t available = 0, total = 0;
  if (cudaMemGetInfo(&available, &total) != cudaSuccess || bytes > available) return CUDA_ERROR_OUT_OF_MEMORY;
  const int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const std::lock_guard lock(mutex_);
  *handle = next_++;
  blocks_[*handle] = {file, bytes, *properties};
  return CUDA_SUCCESS;
}

CUresult AddressSpace::release(Handle handle) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(handle);
  if (found == blocks_.end()) return CUDA_ERROR_INVALID_VALUE;
  close(found->second.file);
  blocks_.erase(found);
  return CUDA_SUCCESS;
}

CUresult AddressSpace::map(CUdeviceptr address, std::size_t bytes, Handle handle) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(handle);
  const bool is_right = block != blocks_.end() && block->second.bytes == bytes && address % kGranularity == 0;
  if (!is_right || around(address, bytes) == reserved_.end() || overlaps(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (mmap(pointer_of(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, block->second.file, 0) ==
      MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  mappings_[address] = {bytes, handle, 0};
  return CUDA_SUCCESS;
}

CUresult AddressSpace::unmap(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!is_mapped(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  mappings_.erase(mappings_.lower_bound(address), mappings_.lower_bound(address + bytes));
  publish(*around(address, bytes));  // before another thread can get the address
  const void* const empty = mmap(pointer_of(address), bytes, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return empty != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult AddressSpace::set_access(CUdeviceptr address, std::size_t bytes, unsigned long long access) {
  const std::lock_guard lock(mutex_);
  if (!is_mapped(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const int allowed = access == kReadWrite ? PROT_READ | PROT_WRITE : access != 0 ? PROT_READ : PROT_NONE;
  if (mprotect(pointer_of(address), bytes, allowed) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto end = mappings_.lower_bound(address + bytes);
  for (auto one = mappings_.lower_bound(address); one != end; ++one) one->second.access = access;
  publish(*around(address, bytes));
  return CUDA_SUCCESS;
}

CUresult AddressSpace::access_of(CUdeviceptr address, unsigned long long* access) {
  const std::lock_guard lock(mutex_);
  const auto after = mappings_.upper_bound(address);
  if (access == nullptr || after == mappings_.begin()) return CUDA_ERROR_INVALID_VALUE;
  const auto& [start, mapping] = *std::prev(after);
  if (address - start >= mapping.bytes) return CUDA_ERROR_INVALID_VALUE;
  *access = mapping.access;
  return CUDA_SUCCESS;
}

CUresult AddressSpace::block_at(void* address, Handle* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(reinterpret_cast<std::uintptr_t>(address));
  if (handle == nullptr || found == mappings_.end() || !blocks_.contains(found->second.block))
    return CUDA_ERROR_INVALID_VALUE;
  const Block& block = blocks_[found->second.block];
  *handle = next_++;
  blocks_[*handle] = {dup(block.file), block.bytes, block.properties};
  return CUDA_SUCCESS;
}

CUresult AddressSpace::properties_of(Handle handle, Properties* properties) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(handle);
  if (found == blocks_.end() || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *properties = found->second.properties;
  return CUDA_SUCCESS;
}

AddressSpace::Reserved::iterator AddressSpace::around(CUdeviceptr address, std::size_t bytes) {
  const auto after = reserved_.upper_bound(address);
  if (after == reserved_.begin()) return reserved_.end();
  const auto found = std::prev(after);
  const std::size_t offset = address - found->first;
  return offset < found->second && bytes <= found->second - offset ? found : reserved_.end();
}

bool AddressSpace::is_mapped(CUdeviceptr address, std::size_t bytes) {
  if (bytes == 0 || around(address, bytes) == reserved_.end()) return false;
  CUdeviceptr next = address;
  for (auto one = mappings_.find(address);
       one != mappings_.end() && one->first == next && next < address + bytes; ++one)
    next += one->second.bytes;
  return next == address + bytes;
}

bool AddressSpace::overlaps(CUdeviceptr address, std::size_t bytes) {
  const auto after = mappings_.lower_bound(address + bytes);
  return after != mappings_.begin() && std::prev(after)->first + std::prev(after)->second.bytes > address;
}

void AddressSpace::publish(const Reserved::value_type& reserved) {
  const CUdeviceptr end = reserved.first + reserved.second;
  const auto last = published_.lower_bound(end);
  for (auto one = published_.lower_bound(reserved.first); one != last; one = published_.erase(one))
    warpscopeUnmapMemory(pointer_of(one->first));
  CUdeviceptr start = 0, next = 0;
  const auto tell = [&] {
    if (next == start) return;
    warpscopeMapMemory(pointer_of(start), next - start);
    published_[start] = next - start;
  };
  for (auto one = mappings_.lower_bound(reserved.first); one != mappings_.end() && one->first < end; ++one) {
    if (one->second.access == 0) continue;
    if (one->first != next) {
      tell();
      start = one->first;
    }
    next = one->first + one->second.bytes;
  }
  tell();
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const Properties* properties, int /*option*/) {
  if (bytes == nullptr || properties == nullptr || properties->type != kPinned)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = kGranularity;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return AddressSpace::get().reserve(address, bytes, alignment, hint);
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return AddressSpace::get().free(address, bytes);
}
CUresult cuMemCreate(Handle* handle, std::size_t bytes, const Properties* properties,
                     unsigned long long flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return AddressSpace::get().create(handle, bytes, properties);
}
CUresult cuMemRelease(Handle handle) {
  return AddressSpace::get().release(handle);
}
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, Handle handle,
                  unsigned long long flags) {
  if (offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return AddressSpace::get().map(address, bytes, handle);
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return AddressSpace::get().unmap(address, bytes);
}
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const Access* access, std::size_t count) {
  if (access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  unsigned long long of_device = 0;
  for (std::size_t one = 0; one < count; ++one) {
    if (access[one].location.type == kOnDevice && access[one].location.id != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    of_device |= static_cast<unsigned long long>(access[one].flags);
  }
  return AddressSpace::get().set_access(address, bytes, of_device);
}
CUresult cuMemGetAccess(unsigned long long* access, const Location* /*location*/, CUdeviceptr address) {
  return AddressSpace::get().access_of(address, access);
}
CUresult cuMemRetainAllocationHandle(Handle* handle, void* address) {
  return AddressSpace::get().block_at(address, handle);
}
CUresult cuMemGetAllocationPropertiesFromHandle(Properties* properties, Handle handle) {
  return AddressSpace::get().properties_of(handle, properties);
}
}
// NOLINTEND(readability-identifier-naming)
