#pragma once
// Kernels that come to their end in the middle, because of what they do.
#include <cstdint>
#include <string>

namespace warpscope::device {

enum class StopReason : std::uint8_t {
  Assertion,
  IllegalAddress,
  MisalignedAddress,
  NoHeap,
  StackOverflow,
  Trap
};

/// Called in the thread of the host that runs the kernel; at most once in a process. Tells the others that the
/// kernel has ended.
using StopHandler = void (*)(StopReason reason, const std::string& text);
void set_stop_handler(StopHandler handler);
/// A program's runtime library stops a kernel that traps; elsewhere that is a signal (trap_note.h).
void stop_at_traps() noexcept;
bool stops_at_traps() noexcept;

/// Called when the first assertion of the process fails whose thread ends alone; in the thread of the host that runs
/// the kernel, which goes on.
using FailureHandler = void (*)(const std::string& text);
void set_failure_handler(FailureHandler handler);
/// Prints `text` and calls the handler, the latter once.
void note_failure(const std::string& text);

/// Prints `text` and calls the handler, unless another thread has been here before. Nothing can make PoCL leave a
/// kernel, so the thread of the host stays here until the process ends, with the block that it was running.
[[noreturn]] void stop_kernel(StopReason reason, const std::string& text);

/// Where a thread stays that runs a kernel which has been stopped.
[[noreturn]] void stay() noexcept;

}  // namespace warpscope::device
