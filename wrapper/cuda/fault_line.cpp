#include "wrapper/cuda/fault_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace warpscope::cuda {
namespace {

// What a handler may read: the whole line is made before the kernel starts.
char message[512];
std::atomic<std::size_t> message_bytes = 0;

const char* what_of(int signal) {
  return signal == SIGSEGV || signal == SIGBUS ? ": it accessed memory that is not there\n"
         : signal == SIGFPE                    ? ": it divided an integer by zero\n"
                                               : ": it trapped\n";
}

void say(const char* text, std::size_t bytes) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, bytes);
}

constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::array<struct sigaction, kSignals.size()> before = {};

void restore() {
  for (std::size_t at = 0; at < kSignals.size(); ++at) ::sigaction(kSignals[at], &before[at], nullptr);
}

// Behind the handler the instruction faults again.
void on_fault(int signal) {
  if (const std::size_t bytes = message_bytes.exchange(0); bytes != 0) {
    say(message, bytes);
    const char* const what = what_of(signal);
    say(what, std::strlen(what));
  }
  restore();
}

}  // namespace

FaultLine::FaultLine(const std::string& kernel) {
  const std::string text = fmt::format("warpscope: kernel '{}'",
                                       kernel.substr(0, sizeof(message) / 2));  // the rest fits in any case
  std::copy(text.begin(), text.end(), message);
  message_bytes = text.size();
  struct sigaction ours = {};
  ours.sa_handler = &on_fault;
  ours.sa_flags = SA_ONSTACK;
  for (std::size_t at = 0; at < kSignals.size(); ++at) ::sigaction(kSignals[at], &ours, &before[at]);
}

FaultLine::~FaultLine() {
  restore();
}

}  // namespace warpscope::cuda
