#pragma once
// What a user typed, and what ends a command of the user's.
#include <string>

#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "wrapper/run/signal_guard.h"

namespace warpscope {

/// What was typed, if that is not trace-kernel: warpscope sets $WARPSCOPE_COMMAND for the example of what asks for arguments.
std::string user_command();

/// Work with other programs: a signal ends them, and us when the work's directories are gone.
template <class Work>
void interruptible(const Work& work) {
  const SignalGuard signals(end_running_process);
  try {
    work();
  } catch (const InputError&) {
    if (SignalGuard::received() == 0) throw;
  }
  if (SignalGuard::received() != 0) die_of(SignalGuard::received());
}

}  // namespace warpscope
