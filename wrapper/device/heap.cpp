#include "wrapper/device/heap.h"

namespace warpscope::device {

Heap& Heap::get() {
  static auto* heap = new Heap;  // kernels run until the process has ended
  return *heap;
}

void Heap::give(std::uint64_t base, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  has_memory_ = true;
  blocks_.give(base, bytes);
}

bool Heap::has_memory() const {
  const std::lock_guard lock(mutex_);
  return has_memory_;
}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return blocks_.allocate(bytes);
}

bool Heap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return blocks_.release(address);
}

}  // namespace warpscope::device
