// confine: runs a command that can read and write little, has no network, and ends.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/confine/restrictions.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "traces/base/refused.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "Usage: confine --write DIR [options] -- COMMAND [ARGUMENT]...\n"
    "       confine --report\n"
    "Runs a command that writes only below DIR, reads only the system's programs and what is named, and has "
    "no network.\n\n";

constexpr std::uint64_t kMost = std::uint64_t{1} << 62;

OptionGroup confine_options() {
  OptionGroup options{"Options", {}};
  const auto add = [&](const char* name, const po::value_semantic* value, const char* meaning) {
    options.options.add_options()(name, value, meaning);
  };
  add("write", po::value<std::string>()->value_name("DIR"),
      "the only folder that is written; TMPDIR of COMMAND");
  add("read", po::value<std::vector<std::string>>()->composing()->value_name("PATH"),
      "a file or folder that is also read, and whose programs are run; repeatable");
  add("cpu-seconds", po::value<std::string>()->value_name("N"), "CPU time of each process");
  add("memory", po::value<std::string>()->value_name("BYTES"), "address space of each process");
  add("file-size", po::value<std::string>()->value_name("BYTES"), "size of each file");
  add("processes", po::value<std::string>()->value_name("N"), "threads and processes; does not bind root");
  add("report", po::bool_switch(), "only print, as JSON, what this machine can enforce");
  return options;
}

void print_report() {
  const int version = landlock_version();
  const nlohmann::ordered_json report = {{"landlock", version},
                                         {"seccomp", can_filter_calls()},
                                         {"files", version > 0},
                                         {"network", can_filter_calls()},
                                         {"signals", version >= kLandlockWithScopes},
                                         {"processes", can_limit_processes()}};
  fmt::print("{}\n", report.dump());
}

Limits limits_from(const OptionValues& values) {
  Limits limits;
  limits.cpu_seconds = number_of(values, "cpu-seconds", 1, kMost);
  limits.memory = number_of(values, "memory", 1, kMost);
  limits.file_size = number_of(values, "file-size", 0, kMost);
  limits.processes = number_of(values, "processes", 0, kMost);
  return limits;
}

AllowedFiles files_from(const OptionValues& values, const std::string& folder) {
  AllowedFiles files = files_of_the_system();
  add_installation(files);
  for (const std::string& path : texts_of(values, "read")) files.execute.push_back(path);
  files.write.push_back(folder);
  return files;
}

/// Does not return if COMMAND runs.
[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);  // run_tool() ignores them
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::execvp(words.front(), words.data());
  throw InputError(fmt::format("{}: cannot run: {}{}", command.front(), std::strerror(errno),
                               errno == EACCES ? "; expected a program of the system, or --read PATH" : ""));
}

int run(const std::vector<std::string>& words) {
  CommandOptions options("confine");
  options.add(confine_options());
  const auto separator = std::find(words.begin(), words.end(), "--");
  const OptionValues values = options.parse({words.begin(), separator});
  if (options.answers(values, kUsage, examples_of("confine"), std::cout)) return kExitOk;
  if (is_on(values, "report")) {
    print_report();
    return kExitOk;
  }
  if (separator == words.end() || separator + 1 == words.end())
    throw InputError("no command given, expected it behind --: confine --write DIR -- COMMAND; see --help");
  const auto folder = text_of(values, "write");
  if (!folder) throw InputError("no --write DIR given, expected a folder for what COMMAND writes");
  std::error_code failed;
  const std::string absolute = std::filesystem::canonical(*folder, failed).string();
  if (failed || !std::filesystem::is_directory(absolute))
    throw InputError(fmt::format("--write {}: expected a folder", *folder));
  ::setenv("TMPDIR", absolute.c_str(), 1);
  set_limits(limits_from(values));
  give_up_privileges();
  give_up_files(files_from(values, absolute));
  give_up_calls();
  become({separator + 1, words.end()});
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("confine", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
