#pragma once
// Where recursive device functions keep their frames (passes/recursion).
#include <cstddef>
#include <cstdint>

namespace warpscope::device {

/// Bytes that each thread has for each of its kernel's stacks.
std::uint32_t stack_bytes();
/// As cudaLimitStackSize, before a kernel runs; no less than kUsualStackBytes or WARPSCOPE_STACK_BYTES are given.
void request_stack_bytes(std::size_t bytes);
/// What was asked for; 0: nothing.
std::size_t requested_stack_bytes();

/// More than CUDA's 1024 bytes, because frames have another size than a GPU's.
constexpr std::uint32_t kUsualStackBytes = 16 << 10;

/// The stacks of all threads of one block. They stay where they are while its threads run.
class StackMemory {
 public:
  StackMemory() = default;
  ~StackMemory();
  StackMemory(const StackMemory&) = delete;
  StackMemory& operator=(const StackMemory&) = delete;

  /// Stack `index` of `count` of thread `item` of `items`. Throws std::bad_alloc.
  void* place(std::uint32_t index, std::uint32_t count, std::uint32_t item, std::uint32_t items);

 private:
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The stacks of the block that runs on this thread of the host: its own one after the other, unless others are
/// put in their place. Returns those before; null stands for its own.
StackMemory* exchange_stacks(StackMemory* stacks) noexcept;
StackMemory& running_stacks();
/// Others are in their place: the threads of a block run on stacks of their own here. Safe in a signal handler.
bool has_own_stacks() noexcept;

}  // namespace warpscope::device
