#include "wrapper/run/signal_guard.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "wrapper/device/kernel_cache.h"

namespace warpscope {
namespace {

volatile std::sig_atomic_t received_signal = 0;
void (*call_also)(int) = nullptr;

void note_signal(int signal) {
  received_signal = signal;
  if (call_also != nullptr) call_also(signal);
}

}  // namespace

SignalGuard::SignalGuard(void (*also)(int)) {
  received_signal = 0;
  call_also = also;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &old_[i]);
    // nohup
    if (kSignals[i] == SIGHUP && old_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &old_[i], nullptr);
  }
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

int SignalGuard::received() {
  return received_signal;
}

void die_of(int signal) {
  device::remove_private_kernel_cache();
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace warpscope
