#include "machine/execute/device_memory.h"

#include <fmt/format.h>

namespace warpscope::machine {
namespace {

constexpr std::uint64_t kGranule = 512;

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

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return address - found.address < found.bytes ? &found : nullptr;
}

std::string DeviceMemory::describe(std::uint64_t address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return fmt::format("address 0x{:x}, in no buffer", address);
  const Allocation& below = std::prev(after)->second;
  return fmt::format("address 0x{:x}, {} bytes behind the end of buffer {} ({} bytes)", address,
                     address - below.address - below.bytes, below.id, below.bytes);
}

}  // namespace warpscope::machine
