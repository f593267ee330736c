#pragma once
// Kernels that come to their end in the middle, because of what they do.
#include <cstdint>
#include <string>

namespace warpscope::device {

enum class StopReason : std::uint8_t { Assertion, IllegalAddress, MisalignedAddress, NoHeap, StackOverflow };

/// Called in the thread of the host that runs the kernel; at most once in a process. Tells the others that the
/// kernel has ended.
using StopHandler = void (*)(StopReason reason, const std::string& text);
void set_stop_handler(StopHandler handler);

/// Prints `text` and calls the handler, unless another thread has been here before. Nothing can make PoCL leave a
/// kernel, so the thread of the host stays here until the process ends, with the block that it was running.
[[noreturn]] void stop_kernel(StopReason reason, const std::string& text);

/// Where a thread stays that runs a kernel which has been stopped.
[[noreturn]] void stay() noexcept;

}  // namespace warpscope::device
