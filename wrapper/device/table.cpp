// What kernels ask the host for (passes/RuntimeABI.h).
#include <fmt/format.h>

#include <atomic>
#include <cstdio>

#include "passes/RuntimeABI.h"
#include "wrapper/device/heap.h"
#include "wrapper/device/kernel_stop.h"

namespace warpscope::device {
namespace {

/// The line is CUDA's ("Assertion" in the CUDA C++ Programming Guide).
void assertion(const char* text, const char* file, std::uint32_t line, const char* function,
               std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z, std::uint32_t thread_x,
               std::uint32_t thread_y, std::uint32_t thread_z) {
  stop_kernel(StopReason::Assertion,
              fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file,
                          line, function, block_x, block_y, block_z, thread_x, thread_y, thread_z, text));
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

}  // namespace
}  // namespace warpscope::device

extern "C" {
__attribute__((visibility("default"), used)) WarpscopeDeviceV1 WARPSCOPE_DEVICE_SYMBOL_ID = {
    warpscope::device::assertion, warpscope::device::allocate, warpscope::device::release};
}
