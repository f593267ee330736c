#pragma once
// Signals that a running kernel raises: SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT. They are looked at and
// handed on to whoever had asked for them. (SIGFPE is PoCL's: it skips divisions by zero.)
#include <sys/types.h>

#include <vector>

#include "wrapper/recording/kernel_fault.h"

namespace warpscope {

/// Called in the handler, in the thread that faulted: only what is safe there. If it returns, the signal goes
/// to the handler that was installed before, or does what it does by default.
using FaultSink = void (*)(const KernelFault& fault);

/// While it lives, faults of threads that run a recorded kernel are reported to `sink`. Handlers that the program
/// installs meanwhile replace ours. At most one at a time.
class FaultHandlers {
 public:
  explicit FaultHandlers(FaultSink sink);
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers&) = delete;
  FaultHandlers& operator=(const FaultHandlers&) = delete;
};

/// Gives the calling thread a stack for signal handlers, if it has none: a handler cannot run on a stack that
/// has overflowed. Never given back; nothing happens where there is no memory.
void ensure_alternate_stack() noexcept;

/// The same for other threads of this process, by a signal to each: what a kernel keeps on its stack may
/// overflow before anything of ours runs in its thread. Waits up to 0.2 s for them.
void give_alternate_stacks(const std::vector<pid_t>& threads);

/// All threads of this process.
std::vector<pid_t> threads_of_process();

}  // namespace warpscope
