#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <set>

#include "cachesim/infer/inference.h"
#include "cachesim/infer/report.h"
#include "cachesim/infer/simulated_gpu.h"
#include "tools/cachesim/commands.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/gpu_options.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/files/output_file.h"

namespace warpscope::infer {
namespace {

namespace po = boost::program_options;

OptionGroup input_options() {
  OptionGroup group{"Measurements, from a file or simulated", {}, {"tolerance", "timings", "noise", "seed"}};
  auto add = group.options.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("tolerance", text("N"), "noise to tolerate, in per mille of the loads (default 5)");
  add("simulate", po::bool_switch(), "measure the L1 of --gpu, simulated, instead of reading a file");
  add("timings", po::bool_switch(), "--simulate: cycles per load instead of counters");
  add("noise", text("N"), "--simulate: noise, per mille of the loads or cycles (default 0)");
  add("seed", text("N"), "--simulate: seed of the noise (default 1)");
  return group;
}

OptionGroup output_options() {
  OptionGroup group{"Output", {}};
  auto add = group.options.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("json", text("FILE"), "findings and evidence (docs/tools/infer.md; - = standard output)");
  add("csv", text("FILE"), "--simulate: the measurements (- = standard output)");
  add("next", text("FILE"), "rows to measure next, without results");
  add("plan", text("FILE"), "without input: rows to measure first");
  return group;
}

double real_of(const OptionValues& values, const char* name, double otherwise, double most) {
  if (values.count(name) == 0) return otherwise;
  const std::string text = values[name].as<std::string>();
  const auto value = parse_real(text);
  if (!value || !std::isfinite(*value) || *value < 0 || *value > most)
    throw InputError(fmt::format("--{}: '{}', expected a number from 0 to {}", name, text, most));
  return *value;
}

/// What the findings ask for, each row once.
std::string wanted_csv(const std::vector<Finding>& findings) {
  std::set<Pattern> wanted;
  for (const Finding& finding : findings) wanted.insert(finding.measure.begin(), finding.measure.end());
  std::deque<Observation> rows;
  for (const Pattern& pattern : wanted) rows.push_back({.pattern = pattern});
  return observations_csv(rows, "to be measured: docs/tools/infer.md");
}

struct Command {
  OptionValues values;
  bool simulate = false;
  std::string input;
  [[nodiscard]] std::optional<std::string> file(const char* name) const {
    return values.count(name) == 0 ? std::nullopt : std::optional(values[name].as<std::string>());
  }
};

CommandOptions infer_options() {
  OptionGroup presets{"GPU presets", {}, {"preset", "carveout", "list-presets", "show-preset"}};
  add_preset_options(presets.options);
  CommandOptions options("cachesim infer");
  options.add(input_options()).add(output_options()).add(std::move(presets)).add_word("input");
  return options;
}

Command parse(const CommandOptions& options, const std::vector<std::string>& arguments) {
  Command command;
  command.values = options.parse(arguments);
  command.simulate = command.values["simulate"].as<bool>();
  if (const auto input = command.file("input")) command.input = *input;
  return command;
}

InputError only_with_simulate(const char* name) {
  return InputError(fmt::format(
      "--{}: has no effect here, expected --simulate as well; add that or remove --{}", name, name));
}

/// Checks that every option has an effect.
void check(const Command& command) {
  const OptionValues& values = command.values;
  const bool plan = values.count("plan") != 0;
  const int given = int{plan} + int{command.simulate} + int{!command.input.empty()};
  if (given != 1)
    throw InputError(
        fmt::format("{}, expected exactly one of: a file of observations, --simulate, --plan FILE; see "
                    "cachesim infer --help",
                    given == 0 ? "no input" : "more than one input"));
  if (command.simulate && !gpu_choice(values))
    throw InputError(
        "--simulate: no GPU given, expected --gpu NAME as well; cachesim infer --list-presets lists the "
        "names");
  for (const char* name : {"noise", "seed", "csv", "gpu", "preset", "set", "carveout"})
    if (!command.simulate && values.count(name) != 0) throw only_with_simulate(name);
  if (!command.simulate && values["timings"].as<bool>()) throw only_with_simulate("timings");
  for (const char* name : {"json", "next"})
    if (plan && values.count(name) != 0)
      throw InputError(fmt::format(
          "--{}: nothing to write, --plan only lists what to measure; expected --plan without it", name));
  std::set<std::string> streams;
  for (const char* name : {"json", "csv", "next"})
    if (command.file(name) == "-" && !streams.insert("-").second)
      throw InputError(
          fmt::format("--{}: another output goes to standard output already, expected a file", name));
}

int run(const Command& command) {
  const OptionValues& values = command.values;
  InferenceOptions options;
  options.tolerance_per_mille = real_of(values, "tolerance", options.tolerance_per_mille, 500);
  std::map<std::string, std::unique_ptr<OutputFile>>
      files;  // opened first: they fail before the work, not after
  for (const char* name : {"json", "csv", "next", "plan"})
    if (const auto path = command.file(name)) files[name] = std::make_unique<OutputFile>(*path);
  const auto write = [&](const char* name, const std::string& text) {
    if (const auto file = files.find(name); file != files.end()) {
      file->second->write(text);
      file->second->commit();
    }
  };
  if (values.count("plan") != 0) {
    Table nothing({}, options);
    write("plan", wanted_csv(infer(nothing)));
    return kExitOk;
  }
  std::unique_ptr<SimulatedGpu> gpu;
  if (command.simulate) {
    MeasuringOptions measuring;
    measuring.timings = values["timings"].as<bool>();
    measuring.noise_per_mille = real_of(values, "noise", 0, 500);
    measuring.seed = static_cast<std::uint64_t>(real_of(values, "seed", 1, 0x1p53));
    gpu = std::make_unique<SimulatedGpu>(*preset_from(values), measuring);
    options.measure = [&gpu](const Pattern& pattern) { return gpu->measure(pattern); };
  }
  Table table(command.simulate ? Observations{} : read_observations(command.input), options);
  const std::vector<Finding> findings = infer(table);
  const std::string input = command.simulate ? "simulated " + gpu_choice(values)->name : command.input;
  write("csv", observations_csv(table.rows(), input));
  write("next", wanted_csv(findings));
  write("json",
        report_json(findings, table, input).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
            "\n");
  const bool is_piped =
      command.file("json") == "-" || command.file("csv") == "-" || command.file("next") == "-";
  (is_piped ? std::cerr : std::cout) << text_report(findings, table);
  return kExitOk;
}

constexpr const char* kInferUsage =
    "Usage: cachesim infer FILE.csv [options]\n"
    "       cachesim infer --simulate --gpu NAME [options]\n"
    "Which L1 explains these measurements of micro-benchmarks? Sector, capacity, line, ways,\n"
    "replacement, set index, stores. FILE.csv: docs/tools/infer.md, or a CSV of validation/hw-profile.\n\n";

}  // namespace

int run_infer_command(const std::vector<std::string>& words) {
  const CommandOptions options = infer_options();
  const Command command = parse(options, words);
  if (options.answers(command.values, kInferUsage, examples_of("cachesim infer"), std::cout)) return kExitOk;
  if (show_presets(command.values, std::cout)) return kExitOk;
  check(command);
  return run(command);
}

}  // namespace warpscope::infer
