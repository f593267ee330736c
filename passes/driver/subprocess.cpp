#include "passes/driver/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "traces/base/error.h"

extern char **environ;

namespace warpscope {
namespace {

std::atomic<pid_t> running_process = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler reads it");

std::vector<char *> environment_without_tracing() {
  std::vector<char *> result;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("OPENCL_LAYERS="))
      result.push_back(*entry);
  }
  result.push_back(nullptr);
  return result;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0)
      text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR))
      return text;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// LLVM's programs crash where they cannot write; what they say then ends with their own stack.
std::string without_stack_dump(const std::string &text) {
  for (const char *begin : {"PLEASE submit a bug report", "Stack dump:"}) {
    if (const std::size_t at = text.find(begin);
        at != std::string::npos && (at == 0 || text[at - 1] == '\n'))
      return text.substr(0, at);
  }
  return text;
}

bool met_full_disk(const std::string &text) {
  for (const int error : {ENOSPC, EDQUOT})
    if (text.find(std::strerror(error)) != std::string::npos &&
        (text.find("IO failure on output stream") != std::string::npos ||
         text.find("error: unable to ") != std::string::npos))
      return true;
  return false;
}

std::string file_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

} // namespace

ProcessResult run_process(const std::vector<std::string> &arguments) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw InputError("cannot create a pipe: " + std::string(std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char *> environment = environment_without_tracing();
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw InputError(arguments[0] + ": cannot be started: " + std::strerror(error));
  }
  running_process = child;
  ProcessResult result;
  result.output = read_all(ends[0]);
  close(ends[0]);
  running_process = 0; // before its number may belong to another process
  result.status = wait_for(child);
  if (result.status == 0)
    return result;
  if (met_full_disk(result.output))
    throw InputError(file_name(arguments[0]) +
                     ": No space left on device, expected room in $TMPDIR for a compilation");
  result.output = without_stack_dump(result.output);
  return result;
}

void end_running_process(int signal) {
  const pid_t child = running_process;
  if (child != 0)
    kill(child, signal);
}

void set_search_path() { setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0); }

std::string find_program(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (end != 0 && access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::string require_program(const std::string &name, const std::string &package) {
  std::string path = find_program(name);
  if (path.empty()) {
    throw InputError(name + ": not found in PATH, expected the Debian package " + package +
                     "; install it with apt-get");
  }
  return path;
}

} // namespace warpscope
