// launch-file: a launch file with every expression evaluated, as JSON; for scripts that make the same launches elsewhere.
#include <fmt/format.h>

#include <iostream>

#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "wrapper/launch/evaluated_launch.h"
#include "wrapper/launch/launch_json.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "Usage: launch-file FILE.launch [options]\n"
    "Prints a launch file as JSON, with every expression evaluated as trace-kernel does.\n\n";

OptionGroup launch_options() {
  OptionGroup options{"Options", {}};
  options.options.add_options()("size", po::value<std::string>()->default_value("")->value_name("NAME"),
                                "one of the file's sizes, such as small")(
      "global", po::value<std::string>()->value_name("X[,Y[,Z]]"), "work-items")(
      "local", po::value<std::string>()->value_name("X[,Y[,Z]]"), "work-items per work-group")(
      "define,D", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"), "macro; repeatable");
  return options;
}

/// What the options say instead of the file.
LaunchDescription given(const OptionValues& values) {
  LaunchDescription launch;
  if (values.count("global") != 0)
    launch.global = parse_dimensions(values["global"].as<std::string>(), "--global");
  if (values.count("local") != 0)
    launch.local = parse_dimensions(values["local"].as<std::string>(), "--local");
  if (values.count("define") == 0) return launch;
  for (const std::string& text : values["define"].as<std::vector<std::string>>()) {
    const auto equals = text.find('=');
    launch.defines[text.substr(0, equals)] = equals == std::string::npos ? "1" : text.substr(equals + 1);
  }
  return launch;
}

int run(const std::vector<std::string>& words) {
  CommandOptions options("launch-file");
  options.add(launch_options()).add_word("file");
  const OptionValues values = options.parse(words);
  if (options.answers(values, kUsage, examples_of("launch-file"), std::cout)) return kExitOk;
  if (values.count("file") == 0) throw InputError("no launch file given, expected one; see --help");
  const auto file = values["file"].as<std::string>();
  LaunchDescription launch = merge(given(values), read_launch_file(file, values["size"].as<std::string>()));
  fmt::print("{}\n", to_json(evaluate_launch(launch)));
  return kExitOk;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("launch-file", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
