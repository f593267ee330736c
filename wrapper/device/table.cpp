// What kernels ask the host for (passes/RuntimeABI.h, passes/StackABI.h).
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <new>

#include "passes/RuntimeABI.h"
#include "passes/StackABI.h"
#include "wrapper/device/heap.h"
#include "wrapper/device/kernel_stop.h"
#include "wrapper/device/stack_memory.h"
#include "wrapper/device/trap_note.h"

namespace warpscope::device {
namespace {

/// The line is CUDA's ("Assertion" in the CUDA C++ Programming Guide).
std::string line_of_assertion(const char* text, const char* file, std::uint32_t line, const char* function,
                              std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                              std::uint32_t thread_x, std::uint32_t thread_y, std::uint32_t thread_z) {
  return fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file, line,
                     function, block_x, block_y, block_z, thread_x, thread_y, thread_z, text);
}

template <class... Values>
void assertion(const char* text, const char* file, std::uint32_t line, const char* function, Values... ids) {
  stop_kernel(StopReason::Assertion, line_of_assertion(text, file, line, function, ids...));
}

template <class... Values>
void failed_assertion(const char* text, const char* file, std::uint32_t line, const char* function,
                      Values... ids) {
  note_failure(line_of_assertion(text, file, line, function, ids...));
}

std::uint64_t allocate(std::uint64_t bytes) {
  if (!Heap::get().has_memory())
    stop_kernel(
        StopReason::NoHeap,
        "warpscope: malloc() in a kernel that runs by itself: there is no heap, expected a program that "
        "launches it (build it with warpscope-nvcc, then trace-kernel -- ./program)");
  return Heap::get().allocate(bytes);
}

void release(std::uint64_t address) {
  static std::atomic<bool> has_been_said = false;
  if (!Heap::get().release(address) && !has_been_said.exchange(true))
    std::fprintf(stderr, "warpscope: free() in a kernel: %#llx is not what malloc() has given; ignored\n",
                 static_cast<unsigned long long>(address));
}

void trap(const char* kernel, const char* place, std::uint32_t block_x, std::uint32_t block_y,
          std::uint32_t block_z, std::uint32_t thread_x, std::uint32_t thread_y, std::uint32_t thread_z) {
  if (!stops_at_traps()) raise_trap({place, {thread_x, thread_y, thread_z}});
  stop_kernel(StopReason::Trap,
              fmt::format("warpscope: kernel '{}', {}: trap; block [{},{},{}], thread [{},{},{}]", kernel,
                          place, block_x, block_y, block_z, thread_x, thread_y, thread_z));
}

void* stack(std::uint32_t index, std::uint32_t count, std::uint32_t item, std::uint32_t items) {
  try {
    return running_stacks().place(index, count, item, items);
  } catch (const std::bad_alloc&) {
    stop_kernel(StopReason::StackOverflow,
                fmt::format("warpscope: no memory for the stacks of {} threads with {} bytes each", items,
                            std::uint64_t{count} * stack_bytes()));
  }
}

void stack_overflow(const char* kernel, const char* place, const char* function, std::uint32_t block_x,
                    std::uint32_t block_y, std::uint32_t block_z, std::uint32_t thread_x,
                    std::uint32_t thread_y, std::uint32_t thread_z) {
  stop_kernel(
      StopReason::StackOverflow,
      fmt::format("warpscope: kernel '{}', {}: the call of {} does not fit into the {} bytes of stack that a "
                  "thread has: expected recursion that ends earlier, or more bytes, at most {}, by "
                  "cudaDeviceSetLimit(cudaLimitStackSize, …) or WARPSCOPE_STACK_BYTES; block [{},{},{}], "
                  "thread [{},{},{}]",
                  kernel, place, function, stack_bytes(), WARPSCOPE_MOST_STACK_BYTES, block_x, block_y,
                  block_z, thread_x, thread_y, thread_z));
}

}  // namespace
}  // namespace warpscope::device

extern "C" {
__attribute__((visibility("default"), used)) WarpscopeDeviceV1 WARPSCOPE_DEVICE_SYMBOL_ID = {
    warpscope::device::assertion, warpscope::device::allocate, warpscope::device::release,
    warpscope::device::trap, warpscope::device::failed_assertion};
__attribute__((visibility("default"), used)) WarpscopeStacksV1 WARPSCOPE_STACKS_SYMBOL_ID = {
    warpscope::device::stack, warpscope::device::stack_bytes, warpscope::device::stack_overflow};
}
