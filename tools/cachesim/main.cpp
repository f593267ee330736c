// cachesim: the L1 caches of a GPU on a schedule of warp accesses.
#include <algorithm>
#include <array>
#include <iostream>

#include "tools/cachesim/commands.h"
#include "tools/options/run_tool.h"
#include "traces/base/names.h"
#include "traces/base/version.h"

namespace warpscope {
namespace {

/// By the first word; without one of these it is a simulation.
struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>& words);  ///< without the name
};
constexpr std::array kSubcommands = {
    Subcommand{"coalesce", run_coalesce_command},
    Subcommand{"infer", infer::run_infer_command},
    Subcommand{"sweep", run_sweep_command},
    Subcommand{"timed", timed::run_timed_command},
};

int run(const std::vector<std::string>& words) {
  const auto holds = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (holds("--version")) {
    std::cout << version_line("cachesim");
    return kExitOk;
  }
  if (!words.empty())
    if (const Subcommand* command = find_named(kSubcommands, words.front()))
      return command->run({words.begin() + 1, words.end()});
  return holds(kCompareGenerations) ? run_compare_command(words) : run_simulate_command(words);
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("cachesim", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
