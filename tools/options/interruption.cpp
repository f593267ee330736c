#include "tools/options/interruption.h"

#include <unistd.h>

#include <array>
#include <csignal>

#include "traces/files/output_file.h"

namespace warpscope {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

pid_t g_process = 0;

void tidy_up_and_end(int signal) {
  // A process that was forked, and has not become another program yet, has the same outputs: they are not its own.
  if (::getpid() == g_process) remove_unfinished_outputs();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void tidy_up_on_signals() {
  g_process = ::getpid();
  for (const int signal : kEnding)
    if (std::signal(signal, tidy_up_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace warpscope
