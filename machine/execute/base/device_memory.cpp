#include "machine/execute/base/device_memory.h"

#include <fmt/format.h>

namespace warpscope::machine {
namespace {

constexpr std::uint64_t kGranule = 512;
constexpr std::uint32_t kHeapId = ~std::uint32_t{0};

}  // namespace

const Allocation& DeviceMemory::add(std::uint8_t* data, std::uint64_t bytes, std::uint32_t id) {
  const std::uint64_t address = next_;
  // An access that runs over the end must not meet the next buffer.
  next_ += (bytes + kGranule - 1) / kGranule * kGranule + kGranule;
  return allocations_[address] = {address, bytes, data, id};
}

const Allocation& DeviceMemory::add_at(std::uint64_t address, std::uint8_t* data, std::uint64_t bytes,
                                       std::uint32_t id) {
  return allocations_[address] = {address, bytes, data, id};
}

void DeviceMemory::forget_allocations() {
  std::erase_if(allocations_, [](const auto& entry) { return entry.second.id != kHeapId; });
}

void DeviceMemory::limit_heap(std::uint64_t bytes) {
  if (!heap_is_used_) heap_bytes_ = bytes;
}

std::uint64_t DeviceMemory::take(std::uint64_t bytes) {
  if (!std::exchange(heap_is_used_, true)) heap_places_.give(kFirstInHeap, heap_bytes_);
  const std::uint64_t address = heap_places_.allocate(bytes);
  if (address == 0) return 0;
  std::vector<std::uint8_t>& content = heap_[address];
  content.resize(bytes);
  add_at(address, content.data(), bytes, kHeapId);
  return address;
}

bool DeviceMemory::give_back(std::uint64_t address) {
  if (heap_.erase(address) == 0) return false;
  heap_places_.release(address);
  allocations_.erase(address);
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return address - found.address < found.bytes ? &found : nullptr;
}

std::string DeviceMemory::describe(std::uint64_t address) const {
  if (describer_) return describer_(address);
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return fmt::format("address 0x{:x}, in no buffer", address);
  const Allocation& below = std::prev(after)->second;
  if (below.id == kHeapId)
    return fmt::format("address 0x{:x}, {} bytes behind the end of memory of malloc ({} bytes)", address,
                       address - below.address - below.bytes, below.bytes);
  return fmt::format("address 0x{:x}, {} bytes behind the end of buffer {} ({} bytes)", address,
                     address - below.address - below.bytes, below.id, below.bytes);
}

}  // namespace warpscope::machine
