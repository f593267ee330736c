#include "tools/options/interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

#include "traces/files/output_file.h"

namespace warpscope {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

pid_t g_process = 0;
std::atomic<const std::string*> g_last_words;  // never deleted: a signal may come at any time

void tidy_up_and_end(int signal) {
  // A process that was forked, and has not become another program yet, has the same outputs: they are not its own.
  if (::getpid() == g_process) {
    remove_unfinished_outputs();
    if (const std::string* const words = g_last_words.exchange(nullptr))
      if (::write(STDERR_FILENO, words->data(), words->size()) < 0) ::_exit(128 + signal);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void tidy_up_on_signals() {
  g_process = ::getpid();
  for (const int signal : kEnding)
    if (std::signal(signal, tidy_up_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void say_when_interrupted(const std::string& line) {
  g_last_words = new std::string(line + "\n");
}

}  // namespace warpscope
