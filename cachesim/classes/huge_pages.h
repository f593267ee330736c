#pragma once
// Memory for tables that are read at random places: with pages of 2 MiB a host finds an entry without first
// walking its page tables, which costs as much as the entry itself.
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace warpscope {

template <class Value>
struct HugePageAllocator {
  using value_type = Value;
  HugePageAllocator() = default;
  template <class Other>
  explicit HugePageAllocator(const HugePageAllocator<Other>& /*other*/) {}

  Value* allocate(std::size_t count) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(Value);
    const std::size_t alignment = bytes < kHugePage ? std::size_t{64} : kHugePage;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    // Only advice: without it, or where the host refuses, everything works, slower.
    if (alignment == kHugePage) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t /*count*/) { std::free(memory); }
  bool operator==(const HugePageAllocator&) const { return true; }
};

}  // namespace warpscope
