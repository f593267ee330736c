#include "wrapper/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <vector>

#include "wrapper/cuda/device.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/device/heap.h"

namespace warpscope::cuda {
namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

thread_local std::string next_name;

constexpr const char* kHeapName = "malloc_heap";  // in captures
std::atomic<std::size_t> heap_limit = std::size_t{8} << 20;
std::atomic<bool> is_heap_used = false;

/// What the host may have written at any time counts as written.
layer::MemoryUse use_of(MemoryKind kind) {
  if (kind == MemoryKind::Device) return layer::MemoryUse::Fresh;
  const bool is_freed = kind == MemoryKind::Managed || kind == MemoryKind::Host;
  return is_freed ? layer::MemoryUse::Freed : layer::MemoryUse::Kept;
}

/// `text` up to its first comma outside of brackets.
std::string first_argument(const std::string& text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    depth += (c == '(' || c == '[' || c == '{') ? 1 : (c == ')' || c == ']' || c == '}') ? -1 : 0;
    if (c == ',' && depth == 0) return text.substr(0, at);
  }
  return text;
}

/// The position behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

std::string trimmed(std::string text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(0,
             static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin()));
  return text;
}

}  // namespace

Memory& Memory::get() {
  static auto* memory = new Memory;
  return *memory;
}

void* Memory::allocate(std::size_t bytes, MemoryKind kind, const std::string& name, unsigned flags) {
  if (bytes == 0) return nullptr;
  const Device& device = Device::get();
  require(bytes <= device.memory_bytes() && used_bytes() <= device.memory_bytes() - bytes,
          cudaErrorMemoryAllocation);
  auto memory = device::GuardedMemory::allocate(bytes, device::kGpuGuards);
  require(memory.has_value(), cudaErrorMemoryAllocation);
  void* const pointer = memory->data();
  device.name_memory(pointer, bytes, name, {memory->writable(), memory->writable_size()}, use_of(kind));
  const std::lock_guard lock(mutex_);
  allocations_[address_of(pointer)] = {address_of(pointer), bytes, kind, flags, name};
  guarded_.emplace(address_of(pointer), std::move(*memory));
  return pointer;
}

void Memory::release(void* pointer, MemoryKind kind, MemoryKind or_kind) {
  if (pointer == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto entry = allocations_.find(address_of(pointer));
  require(entry != allocations_.end() && (entry->second.kind == kind || entry->second.kind == or_kind));
  allocations_.erase(entry);
  Device::get().name_memory(pointer, 0, "");  // before another thread can get the address
  guarded_.erase(address_of(pointer));
}

void Memory::register_host(void* pointer, std::size_t bytes, unsigned flags) {
  require(pointer != nullptr && bytes > 0);
  const Device& device = Device::get();
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t address = address_of(pointer);
    const auto after = allocations_.lower_bound(address + bytes);
    const bool overlaps = after != allocations_.begin() &&
                          std::prev(after)->second.address + std::prev(after)->second.bytes > address;
    require(!overlaps, cudaErrorHostMemoryAlreadyRegistered);
    allocations_[address] = {address, bytes, MemoryKind::Registered, flags, ""};
  }
  device.name_memory(pointer, bytes, "");
}

void Memory::adopt_symbol(void* pointer, std::size_t bytes, const std::string& name) {
  const Device& device = Device::get();
  {
    const std::lock_guard lock(mutex_);
    allocations_[address_of(pointer)] = {address_of(pointer), bytes, MemoryKind::Symbol, 0, name};
  }
  device.name_memory(pointer, bytes, name);
}

void Memory::adopt_section(const void* pointer, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  sections_[address_of(pointer)] = bytes;
}

void Memory::forget_symbol(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto entry = allocations_.find(address_of(pointer));
  if (entry == allocations_.end() || entry->second.kind != MemoryKind::Symbol) return;
  allocations_.erase(entry);
  Device::get().name_memory(pointer, 0, "");
}

void Memory::unregister_host(void* pointer) {
  const Device& device = Device::get();
  {
    const std::lock_guard lock(mutex_);
    const auto entry = allocations_.find(address_of(pointer));
    require(entry != allocations_.end() && entry->second.kind == MemoryKind::Registered,
            cudaErrorHostMemoryNotRegistered);
    allocations_.erase(entry);
  }
  device.name_memory(pointer, 0, "");
}

std::optional<Allocation> Memory::find(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t address = address_of(pointer);
  if (const auto after = allocations_.upper_bound(address); after != allocations_.begin()) {
    const Allocation& allocation = std::prev(after)->second;
    if (address - allocation.address < allocation.bytes) return allocation;
  }
  const auto after = sections_.upper_bound(address);
  if (after == sections_.begin()) return std::nullopt;
  const auto& [start, bytes] = *std::prev(after);
  if (address - start >= bytes) return std::nullopt;
  return Allocation{start, bytes, MemoryKind::Symbol};
}

std::string Memory::relation_to(std::uint64_t address) const {
  constexpr std::uint64_t kLowAddresses = 1U << 16U;
  constexpr std::uint64_t kNear = std::uint64_t{1} << 30U;  // beyond it an allocation says nothing
  if (address < kLowAddresses) return fmt::format("null pointer (address {:#x})", address);
  const std::lock_guard lock(mutex_);
  const auto after = allocations_.upper_bound(address);
  const Allocation* behind_of = after == allocations_.begin() ? nullptr : &std::prev(after)->second;
  const std::uint64_t behind = behind_of == nullptr ? kNear : address - behind_of->address - behind_of->bytes;
  const std::uint64_t before = after == allocations_.end() ? kNear : after->second.address - address;
  if (std::min(behind, before) >= kNear) return fmt::format("wild pointer (address {:#x})", address);
  const Allocation& nearest = behind <= before ? *behind_of : after->second;
  return fmt::format("{} bytes {} {} of {} bytes", std::min(behind, before),
                     behind <= before ? "behind" : "before",
                     nearest.name.empty() ? "an allocation" : nearest.name, nearest.bytes);
}

void Memory::require_device(const void* pointer, std::size_t bytes) const {
  const auto allocation = find(pointer);
  require(allocation.has_value() && allocation->kind != MemoryKind::Heap);
  const std::uint64_t offset = address_of(pointer) - allocation->address;
  require(bytes <= allocation->bytes - offset);
}

std::vector<MemoryRange> Memory::usable() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryRange> ranges;
  ranges.reserve(allocations_.size());
  for (const auto& [address, allocation] : allocations_) {
    const auto guarded = guarded_.find(address);
    if (guarded == guarded_.end())
      ranges.push_back({address, allocation.bytes});
    else
      ranges.push_back({address_of(guarded->second.writable()), guarded->second.writable_size()});
  }
  return ranges;
}

std::size_t Memory::used_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [address, allocation] : allocations_)
    if (allocation.kind != MemoryKind::Host && allocation.kind != MemoryKind::Registered)
      sum += allocation.bytes;
  return sum;
}

void Memory::release_all() {
  const std::lock_guard lock(mutex_);
  std::erase_if(allocations_, [&](const auto& entry) {
    const bool is_freed = entry.second.kind == MemoryKind::Device || entry.second.kind == MemoryKind::Managed;
    if (!is_freed) return false;
    Device::get().name_memory(entry.second.pointer(), 0, "");
    guarded_.erase(entry.first);
    return true;
  });
}

std::size_t heap_bytes() {
  return heap_limit;
}

void set_heap_bytes(std::size_t bytes) {
  require(!is_heap_used);
  heap_limit = bytes;
}

void keep_heap_bytes() {
  is_heap_used = true;
}

void prepare_heap() {
  keep_heap_bytes();
  device::Heap& heap = device::Heap::get();
  if (heap.has_memory()) return;
  const std::size_t bytes = heap_limit;
  heap.give(address_of(Memory::get().allocate(bytes, MemoryKind::Heap, kHeapName)), bytes);
}

void name_next_allocation(const std::string& name) {
  next_name = name;
}

std::string take_next_name() {
  return std::exchange(next_name, {});
}

std::string variable_in(const std::string& arguments) {
  std::string text = trimmed(first_argument(arguments));
  for (bool changed = true; changed && !text.empty();) {
    changed = false;
    if (text.front() == '&') {
      text = trimmed(text.substr(1));
      changed = true;
    } else if (text.front() == '(') {  // a cast, or a bracket around all
      const std::size_t end = behind_bracket(text, 0);
      text = trimmed(end == text.size() ? text.substr(1, end - 2) : text.substr(end));
      changed = true;
    } else if (const auto at = text.find("_cast<"); at != std::string::npos && text.back() == ')') {
      const std::size_t open = text.find('(', at);
      if (open == std::string::npos) break;
      text = trimmed(text.substr(open + 1, text.size() - open - 2));
      changed = true;
    }
  }
  const bool is_variable =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '_') &&
      text.find_first_of("(){},;\"'?+*/ ") == std::string::npos;
  return is_variable ? text : "";
}

}  // namespace warpscope::cuda
