#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "scheduler/assignment.h"
#include "scheduler/skipped_launches.h"
#include "timed/fit_budget.h"
#include "timed/issue/issue_policy.h"
#include "timed/run_timed.h"
#include "timed/timed_result.h"
#include "tools/cachesim/commands.h"
#include "tools/cachesim/model_keys.h"
#include "tools/cachesim/shared_options.h"
#include "tools/options/examples.h"
#include "tools/options/schedule_options.h"
#include "traces/base/error.h"
#include "traces/files/output_file.h"

namespace warpscope::timed {
namespace {

namespace po = boost::program_options;

std::string policies_help() {
  std::string text = "warp scheduler (default: the preset's):";
  for (const IssuePolicyInfo& info : issue_policies()) text += fmt::format("\n{}: {}", info.name, info.help);
  return text;
}

std::string help_of(const IssuePolicyInfo& info, const PolicyParameter& parameter) {
  return fmt::format("{}: {}, {} to {} {} (default {})", info.name, parameter.meaning, parameter.least,
                     parameter.most, parameter.unit, parameter.usual);
}

OptionGroup timed_options() {
  OptionGroup group{
      "Timed simulation",
      {},
      {"check-options", "timeline", "threads", "assign", "write-assignment", "launches", "top", "partial"}};
  const std::string policies = policies_help();
  const auto text = [] { return po::value<std::string>(); };
  auto add = group.options.add_options();
  add("check-options", po::bool_switch(), "check the options, read and write nothing");
  add("warp-scheduler", text()->value_name("P"), policies.c_str());
  each_issue_parameter([&](const IssuePolicyInfo& info, const PolicyParameter& parameter) {
    add(parameter.name, text()->value_name("N"), help_of(info, parameter).c_str());
    group.rare.emplace_back(parameter.name);
  });
  group.rare.emplace_back("most-instructions");
  add("repeat", text()->value_name("N"),
      "simulate N times with other layouts, placements and seeds, and print the range of every rate");
  add("waves", text()->value_name("N"),
      "simulate only the first N waves of each launch's work-groups: N times as many as fit on all cores "
      "(default all). Their cycles say little about the launch's");
  add("sample-launches", text()->value_name("N|P%"),
      "simulate only N launches (6 or more), or P percent of them, drawn at random with --seed from strata "
      "of "
      "launches that are alike, and estimate what all would count and take, with 95 % intervals");
  add("budget", text()->value_name("WORK"),
      "how many look-ups and memory instructions may be simulated, such as 50M or 2G: if all would be more, "
      "a "
      "sample of many launches, or else their first waves. A line says which");
  add("most-instructions", text()->value_name("N"),
      "end without a result as soon as the warps have issued more than N instructions");
  add("effects", po::bool_switch(),
      "simulate again without limits on outstanding misses, and without latency, to show the effect of each");
  add("timeline", text()->value_name("N"),
      "record the first N cycles of core 0, of the launch with most cycles, under timeline in the JSON");
  add("write-assignment", text()->value_name("FILE"),
      "write the core of each work-group, one per line, for --assign (of one launch: --launch)");
  add("json", text()->value_name("FILE"),
      "write the result as JSON (docs/tools/timed.md; - = standard output)");
  add("threads", text()->value_name("N"), "host threads that share the cores (default: all)");
  add("launches", text()->value_name("all|groups"),
      "launches in the JSON: each one (default), or only groups of identical launches");
  add("top", text()->value_name("N"), "memory instructions and buffers in the tables (default 10)");
  add("partial", po::bool_switch(), "take a capture that was cut short up to its last intact part");
  return group;
}

/// The schedule options that mean something here, with dynamic assignment added.
OptionGroup machine_options() {
  OptionGroup all = schedule_options(
      "Machine and layout. --assign also takes dynamic (the default: to the first free core)\nand "
      "shuffled (the same, but with the cores of every layer in another order)");
  OptionGroup kept{all.title, {}, all.rare};
  for (const auto& option : all.options.options())
    if (option->long_name() != "policy" && option->long_name() != "core" &&
        option->long_name() != "self-check" && option->long_name() != "element-bytes")
      kept.options.add(option);
  return kept;
}

struct TimedCommand {
  TimedRequest request;
  std::optional<std::string> json;  ///< file; absent = none
  std::size_t top = 10;             ///< rows of the tables
  std::optional<double> budget;     ///< look-ups and memory instructions
};

/// What does not go together with ideal=fixed-order.
void check_fixed_order(const OptionValues& values, const std::vector<PresetChange>& changes,
                       TimedRequest& request) {
  std::vector<const char*> options = {"warp-scheduler"};
  each_issue_parameter(
      [&](const IssuePolicyInfo&, const PolicyParameter& parameter) { options.push_back(parameter.name); });
  for (const char* option : options)
    if (has_option(values, option))
      throw InputError(
          fmt::format("--{}: fixed order has its own, expected no such option with "
                      "--set ideal=fixed-order",
                      option));
  for (const PresetChange& change : changes)
    if (change == PresetChange{"l1_allocates_on_fill", "true"})
      throw InputError(
          "--set l1_allocates_on_fill=true: fixed order allocates at once, expected no such change with "
          "--set ideal=fixed-order");
  if (!has_option(values, "assign")) request.assignment = request.schedule.assignment;
}

void read_machine(const OptionValues& values, TimedRequest& request) {
  std::vector<PresetChange> changes = preset_changes(values);
  const ModelSettings model(changes);
  const std::optional<GpuPreset> gpu = preset_from(values, changes);
  request.schedule = schedule_options_from(values, gpu);
  if (const auto assignment = text_of(values, "assign")) {
    require_assignment(*assignment, assignment_rules());
    request.assignment = *assignment;
  }
  if (!gpu) throw InputError("no GPU given, expected --gpu GPU; --list-presets of cachesim names them");
  use_gpu(request, *gpu, model.stages());
  for (const PresetChange& change : changes)
    if (change.first == "l2_set_index")
      request.config.memory.l2_set_index = gpu->l2_set_index.value_or(kSpread);
  model.apply(request);
  if (request.ideal == Ideal::FixedOrder) check_fixed_order(values, changes, request);
}

void read_issue(const OptionValues& values, TimedConfig& config) {
  IssueConfig& issue = config.issue;
  issue.policy = text_of(values, "warp-scheduler").value_or(issue.policy);
  each_issue_parameter([&](const IssuePolicyInfo&, const PolicyParameter& parameter) {
    const auto value = number32_of(values, parameter.name, parameter.least, parameter.most);
    if (value) issue.parameters.set(parameter, *value);
  });
}

TimedCommand timed_command_from(const OptionValues& values) {
  TimedCommand command;
  TimedRequest& request = command.request;
  request.input = *text_of(values, "input");
  read_machine(values, request);
  read_issue(values, request.config);
  request.effects = is_on(values, "effects");
  request.waves = number32_of(values, "waves", 1, 1'000'000).value_or(0);
  refuse_with_sample_launches(values, {"repeat", "waves", "write-assignment"});
  request.sample_launches = sample_launches(values);
  command.budget = budget_of(values, {"sample-launches", "repeat", "waves", "write-assignment", "effects"});
  request.partial = is_on(values, "partial");
  request.repeat = number32_of(values, "repeat", 2, 10000).value_or(1);
  request.timeline_cycles = number32_of(values, "timeline", 1, 100000).value_or(0);
  request.write_assignment = text_of(values, "write-assignment");
  request.most_instructions = number_of(values, "most-instructions", 1, std::uint64_t{1} << 60).value_or(0);
  request.threads = host_threads(values);
  request.lists_launches = lists_launches(values);
  command.json = text_of(values, "json");
  command.top = number_of(values, "top", 0, 1u << 20).value_or(command.top);
  complete(request);
  return command;
}

int simulate_and_report(const TimedCommand& command) {
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);
  TimedRequest request = command.request;
  std::optional<BudgetChoice> chosen;
  if (command.budget) {
    // First: where it fails, nothing has been said yet.
    chosen = fit_budget(request, *command.budget);
    std::cerr << "cachesim timed: " << chosen->text() << std::endl;
  }
  ResultJson result = run_timed(request);
  if (chosen) result.json["context"]["budget"] = chosen->json();
  if (json) {
    write_json(result, *json);
    json->commit();
  }
  write_timed_report(result.json, command.top, command.json == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim timed", result.json.at("context").at("skipped"), std::cerr);
}

constexpr const char* kTimedUsage =
    "cachesim timed CAPTURE --gpu GPU [options]: schedulers, caches and memory cycle by cycle.\n"
    "Latencies and bandwidths are the preset's; --set changes them. Those that are not known are assumed\n"
    "and printed. docs/tools/timed.md describes model and result.\n\n";

}  // namespace

int run_timed_command(const std::vector<std::string>& words) {
  CommandOptions options("cachesim timed");
  options.add(timed_options()).add(machine_options()).add_word("input");
  OptionValues values;
  try {
    values = options.parse(words);
  } catch (const po::error& error) {
    throw InputError(fmt::format(
        "{}, expected: cachesim timed CAPTURE --gpu GPU [options]; --help lists them", error.what()));
  }
  if (options.answers(values, kTimedUsage, model_keys_help() + examples_of("cachesim timed"), std::cout))
    return kExitOk;
  if (show_presets(values, std::cout)) return kExitOk;
  if (values.count("input") == 0)
    throw InputError("no capture given, expected: cachesim timed CAPTURE --gpu GPU [options]");
  const TimedCommand command = timed_command_from(values);
  if (is_on(values, "check-options")) return kExitOk;
  check_against_input(command.request, detect_file_kind(command.request.input));
  return simulate_and_report(command);
}

}  // namespace warpscope::timed
