#include "wrapper/cuda/graphs/graph_memory.h"

#include <algorithm>

#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

GraphBlock::~GraphBlock() {
  GraphMemory::get().forget(pointer_);
}

GraphMemory& GraphMemory::get() {
  static auto* const memory = new GraphMemory;  // nodes go while the process ends
  return *memory;
}

std::shared_ptr<GraphBlock> GraphMemory::add(std::size_t bytes, const std::string& name) {
  void* const pointer = Memory::get().allocate(bytes, MemoryKind::Device, name);
  const std::lock_guard lock(mutex_);
  blocks_[pointer] = {bytes};
  used_ += bytes;
  most_used_ = std::max(most_used_, used_);
  return std::make_shared<GraphBlock>(pointer);
}

void GraphMemory::allocate(void* pointer) {
  const std::lock_guard lock(mutex_);
  if (const auto block = blocks_.find(pointer); block != blocks_.end()) block->second.is_allocated = true;
}

bool GraphMemory::release(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(pointer);
  if (block == blocks_.end()) return false;
  require(block->second.is_allocated);
  block->second.is_allocated = false;
  if (!block->second.has_node) remove(block);
  return true;
}

void GraphMemory::forget(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(pointer);
  if (block == blocks_.end()) return;
  block->second.has_node = false;
  if (!block->second.is_allocated) remove(block);
}

void GraphMemory::remove(std::map<void*, Block>::iterator block) {
  // Not there any more after cudaDeviceReset().
  if (Memory::get().find(block->first).has_value())
    Memory::get().release(block->first, MemoryKind::Device, MemoryKind::Device);
  used_ -= block->second.bytes;
  blocks_.erase(block);
}

std::uint64_t GraphMemory::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t GraphMemory::most_used() const {
  const std::lock_guard lock(mutex_);
  return most_used_;
}

void GraphMemory::reset_most_used() {
  const std::lock_guard lock(mutex_);
  most_used_ = used_;
}

}  // namespace warpscope::cuda
