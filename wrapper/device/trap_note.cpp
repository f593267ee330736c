#include "wrapper/device/trap_note.h"

namespace warpscope::device {
namespace {

// Initial-exec: a handler must not allocate.
constinit thread_local TrapNote t_note __attribute__((tls_model("initial-exec")));

}  // namespace

const TrapNote& trap_note() noexcept {
  return t_note;
}

void raise_trap(const TrapNote& note) noexcept {
  t_note = note;
  __builtin_trap();
}

}  // namespace warpscope::device
