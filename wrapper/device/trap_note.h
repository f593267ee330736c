#pragma once
// Where a kernel trapped, for whoever handles the signal.
#include <array>
#include <cstdint>

namespace warpscope::device {

struct TrapNote {
  const char* place =
      nullptr;  ///< "file:line:column", of the kernel's code; null: the thread has not trapped
  std::array<std::uint32_t, 3> thread{};  ///< position in its block
};

/// Of the calling thread of the host. Safe in a signal handler.
const TrapNote& trap_note() noexcept;

/// Notes the place and raises the signal of a trap (SIGILL).
[[noreturn]] void raise_trap(const TrapNote& note) noexcept;

}  // namespace warpscope::device
