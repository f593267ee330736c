#include "wrapper/device/kernel_stop.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace warpscope::device {
namespace {

std::atomic<StopHandler> stop_handler = nullptr;
std::atomic<bool> has_stopped = false;
std::atomic<bool> traps_stop = false;
std::atomic<FailureHandler> failure_handler = nullptr;
std::atomic<bool> has_failed = false;

}  // namespace

void set_stop_handler(StopHandler handler) {
  stop_handler = handler;
}

void stop_at_traps() noexcept {
  traps_stop = true;
}

bool stops_at_traps() noexcept {
  return traps_stop;
}

void set_failure_handler(FailureHandler handler) {
  failure_handler = handler;
}

void note_failure(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  if (has_failed.exchange(true)) return;
  if (const FailureHandler handler = failure_handler.load()) handler(text);
}

void stop_kernel(StopReason reason, const std::string& text) {
  if (!has_stopped.exchange(true)) {
    std::fprintf(stderr, "%s\n", text.c_str());
    if (const StopHandler handler = stop_handler.load()) handler(reason, text);
  }
  stay();
}

void stay() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) ::pause();
}

}  // namespace warpscope::device
