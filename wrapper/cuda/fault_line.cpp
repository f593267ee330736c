#include "wrapper/cuda/fault_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "wrapper/cuda/device.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/device/kernel_stop.h"
#include "wrapper/device/next_handler.h"

namespace warpscope::cuda {
namespace {

// What a handler may read: the whole line is made before the kernel starts.
char message[512];
std::atomic<std::size_t> message_bytes = 0;

const char* what_of(int signal) {
  return signal == SIGFPE ? ": it divided an integer by zero\n" : ": it trapped\n";
}

void say(const char* text, std::size_t bytes) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, bytes);
}

constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::array<struct sigaction, kSignals.size()> before = {};

// What a kernel does in a thread of PoCL's holds no lock, so here everything may be called. Does not return.
void stop_at(const siginfo_t& info) {
  // The processor does not say which address it was if no page can have it.
  const std::string where = info.si_code == SI_KERNEL
                                ? "wild pointer"
                                : Memory::get().relation_to(reinterpret_cast<std::uintptr_t>(info.si_addr));
  device::stop_kernel(device::StopReason::IllegalAddress,
                      fmt::format("{}: {}", std::string(message, message_bytes.load()), where));
}

// Faults of the program's own threads are its own.
bool is_of_kernel(const siginfo_t& info) {
  return info.si_code > 0 && Device::get().is_kernel_thread();
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  {
    device::NextHandler next(info);
    if (is_of_kernel(*info) && !next.has_come_back()) {
      if (signal == SIGSEGV || signal == SIGBUS) stop_at(*info);
      if (const std::size_t bytes = message_bytes.exchange(0); bytes != 0) {
        say(message, bytes);
        const char* const what = what_of(signal);
        say(what, std::strlen(what));
      }
    }
    std::size_t index = 0;
    while (kSignals[index] != signal) ++index;
    next.call(before[index], signal, context);
  }
  errno = error;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &on_fault;
}

}  // namespace

FaultLine::FaultLine(const std::string& kernel) {
  const std::string text = fmt::format("warpscope: kernel '{}'",
                                       kernel.substr(0, sizeof(message) / 2));  // the rest fits in any case
  std::copy(text.begin(), text.end(), message);
  message_bytes = text.size();
  struct sigaction ours = {};
  ours.sa_sigaction = &on_fault;
  ours.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (std::size_t at = 0; at < kSignals.size(); ++at) {
    struct sigaction current = {};
    ::sigaction(kSignals[at], nullptr, &current);
    if (is_ours(current)) continue;  // the program has put it back after one of its own
    before[at] = current;
    ::sigaction(kSignals[at], &ours, nullptr);
  }
}

FaultLine::~FaultLine() {
  for (std::size_t at = 0; at < kSignals.size(); ++at) {
    struct sigaction current = {};
    ::sigaction(kSignals[at], nullptr, &current);
    if (is_ours(current)) ::sigaction(kSignals[at], &before[at], nullptr);
  }
}

}  // namespace warpscope::cuda
