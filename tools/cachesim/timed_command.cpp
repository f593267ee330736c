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
#include "tools/cachesim/shared_options.h"
#include "tools/options/examples.h"
#include "tools/options/removed_words.h"
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

po::options_description timed_options() {
  po::options_description own("Timed simulation");
  const std::string policies = policies_help();
  const auto text = [] { return po::value<std::string>(); };
  auto add = own.add_options();
  add("help,h", "this text");
  add("version", "version and commit");
  add("check-options", po::bool_switch(), "check the options, read and write nothing");
  add("warp-scheduler", text()->value_name("P"), policies.c_str());
  each_issue_parameter([&](const IssuePolicyInfo& info, const PolicyParameter& parameter) {
    add(parameter.name, text()->value_name("N"), help_of(info, parameter).c_str());
  });
  add("unroll", text()->value_name("N"),
      "iterations of an innermost loop that issue as one body (default: the preset's, else 4)");
  add("predicated", text()->value_name("N"),
      "conditional parts of at most N instructions are predicated, so that the loads of several in a row "
      "issue together (default: "
      "7 on NVIDIA's GPUs, 0 elsewhere; 0 = none are)");
  add("independent", text()->value_name("N"),
      "an instruction depends on the N-th one before it in its warp; 1 = a chain (default: what the capture "
      "says "
      "of each block)");
  add("allocate-on-fill", po::bool_switch(),
      "L1 lines are allocated when the data arrives, not at the miss (default: the preset's)");
  add("l1-stages", text()->value_name("wavefronts|in-order"),
      "what an access costs the L1: the tag and data wavefronts that cachesim counts (default if tags are "
      "banked: Volta and later), or its lines in order and its bytes");
  add("l2", text()->value_name("warm|cold"), "keep the L2's content from launch to launch (default warm)");
  add("ideal", text()->implicit_value("issue")->value_name("issue|fixed-order"),
      "nothing takes time and nothing runs out. issue (default): the order of issue alone. fixed-order: the "
      "order of cachesim's policy warp, with counters equal to cachesim's");
  add("l2-slice-index", text()->value_name("F"),
      "the L2 slice of a line: spread (a hash of all bits, the default) or a set index of cachesim --help");
  add("l2-set-index", text()->value_name("F"),
      "the set in its slice: as above, of the line number divided by the slices (default spread, or what "
      "--set l2_set_index=F says)");
  add("repeat", text()->value_name("N"),
      "simulate N times with other layouts, placements and seeds, and print the range of every rate");
  add("waves", text()->value_name("N"),
      "simulate only the first N waves of each launch's work-groups: N times as many as fit on all cores "
      "(default all)");
  add("sample-launches", text()->value_name("N|P%"),
      "simulate only N launches (6 or more), or P percent of them, drawn at random with --seed from strata "
      "of "
      "launches that are alike, and estimate what all would count and take, with 95 % intervals");
  add("budget", text()->value_name("TIME"),
      "about as long as the simulation may take, such as 30s or 5m: if all would take longer, a sample of "
      "many launches, or else their first waves. A line says which");
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
      "launches in the JSON: each one (default), or only groups of launches that are alike");
  add("top", text()->value_name("N"), "memory instructions and buffers in the tables (default 10)");
  add("partial", po::bool_switch(), "take a capture that was cut short up to its last intact part");
  return own;
}

/// The schedule options that mean something here, with dynamic assignment added.
po::options_description machine_options() {
  po::options_description all,
      kept(
          "Machine and layout. --assign also takes dynamic (the default: to the first free core)\nand "
          "shuffled (the same, but with the cores of every layer in another order)");
  add_schedule_options(all);
  for (const auto& option : all.options())
    if (option->long_name() != "policy" && option->long_name() != "core" &&
        option->long_name() != "self-check")
      kept.add(option);
  return kept;
}

struct TimedCommand {
  TimedRequest request;
  std::optional<std::string> json;  ///< file; absent = none
  std::size_t top = 10;             ///< rows of the tables
  std::optional<double> budget;     ///< seconds
};

std::optional<L1Stages> l1_stages(const OptionValues& values) {
  const auto name = text_of(values, "l1-stages");
  if (!name) return {};
  if (*name != "wavefronts" && *name != "in-order")
    throw InputError("--l1-stages " + *name + ": expected wavefronts or in-order");
  return *name == "wavefronts" ? L1Stages::Wavefronts : L1Stages::InOrder;
}

void read_machine(const OptionValues& values, TimedRequest& request) {
  const std::optional<GpuPreset> gpu = preset_from(values);
  request.schedule = schedule_options_from(values, gpu);
  if (const auto assignment = text_of(values, "assign")) {
    require_assignment(*assignment, assignment_rules());
    request.assignment = *assignment;
  }
  if (!gpu) throw InputError("no GPU given, expected --gpu GPU; --list-presets of cachesim names them");
  use_gpu(request, *gpu, l1_stages(values));
}

void read_issue(const OptionValues& values, TimedConfig& config) {
  IssueConfig& issue = config.issue;
  issue.policy = text_of(values, "warp-scheduler").value_or(issue.policy);
  each_issue_parameter([&](const IssuePolicyInfo&, const PolicyParameter& parameter) {
    const auto value = number32_of(values, parameter.name, parameter.least, parameter.most);
    if (value) issue.parameters.set(parameter, *value);
  });
  issue.unroll = number32_of(values, "unroll", 1, 64).value_or(issue.unroll);
  issue.predicated = number32_of(values, "predicated", 0, 100).value_or(issue.predicated);
  if (const auto given = number32_of(values, "independent", 1, 1000)) issue.independent = given;
  config.l1.allocate_on_fill |= is_on(values, "allocate-on-fill");
}

void read_memory(const OptionValues& values, TimedRequest& request) {
  MemoryConfig& memory = request.config.memory;
  for (const PresetChange& change : preset_changes(values))
    if (change.first == "l2_set_index") memory.l2_set_index = *request.preset.l2_set_index;
  memory.l2_set_index = text_of(values, "l2-set-index").value_or(memory.l2_set_index);
  memory.l2_slice_index = text_of(values, "l2-slice-index").value_or(memory.l2_slice_index);
  const auto l2 = text_of(values, "l2");
  if (!l2) return;
  if (*l2 != "warm" && *l2 != "cold") throw InputError("--l2 " + *l2 + ": expected warm or cold");
  memory.l2_keeps_content = *l2 == "warm";
}

/// --ideal, and what does not go together with it.
void read_ideal(const OptionValues& values, TimedRequest& request) {
  const auto name = text_of(values, "ideal");
  if (!name) return;
  for (const Ideal ideal : {Ideal::Issue, Ideal::FixedOrder})
    if (*name == name_of(ideal)) request.ideal = ideal;
  if (request.ideal == Ideal::No)
    throw InputError(fmt::format("--ideal={}: expected issue or fixed-order", *name));
  if (request.ideal == Ideal::Issue) return;
  std::vector<const char*> options = {"warp-scheduler"};
  each_issue_parameter(
      [&](const IssuePolicyInfo&, const PolicyParameter& parameter) { options.push_back(parameter.name); });
  for (const char* option : options)
    if (has_option(values, option))
      throw InputError(
          fmt::format("--{}: fixed order has its own, expected no such option with "
                      "--ideal=fixed-order",
                      option));
  if (is_on(values, "allocate-on-fill"))
    throw InputError(
        "--allocate-on-fill: fixed order allocates at once, expected no such option with "
        "--ideal=fixed-order");
  if (!has_option(values, "assign")) request.assignment = request.schedule.assignment;
}

TimedCommand timed_command_from(const OptionValues& values) {
  TimedCommand command;
  TimedRequest& request = command.request;
  request.input = *text_of(values, "input");
  read_machine(values, request);
  read_issue(values, request.config);
  read_memory(values, request);
  read_ideal(values, request);
  request.effects = is_on(values, "effects");
  request.waves = number32_of(values, "waves", 1, 1'000'000).value_or(0);
  refuse_with_sample_launches(values, {"repeat", "waves", "write-assignment"});
  request.sample_launches = sample_launches(values);
  command.budget = budget_of(values, {"sample-launches", "repeat", "waves",
                                      "write-assignment", "effects"});
  request.partial = is_on(values, "partial");
  request.repeat = number32_of(values, "repeat", 2, 10000).value_or(1);
  request.timeline_cycles = number32_of(values, "timeline", 1, 100000).value_or(0);
  request.write_assignment = text_of(values, "write-assignment");
  request.threads = host_threads(values);
  request.lists_launches = lists_launches(values);
  command.json = text_of(values, "json");
  command.top = number_of(values, "top", 0, 1u << 20).value_or(command.top);
  complete(request);
  return command;
}

int simulate_and_report(const TimedCommand& command, const OptionValues& values) {
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);
  TimedRequest request = command.request;
  if (command.budget) {
    // First: where it fails, nothing has been said yet.
    const std::string chosen = fit_budget(request, *command.budget);
    std::cerr << "cachesim timed: " << chosen << std::endl;
  }
  const ResultJson result = run_timed(request);
  if (json) {
    write_json(result, *json);
    json->commit();
  }
  write_timed_report(result.json, command.top, command.json == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim timed", result.json.at("context").at("skipped"), std::cerr);
}

}  // namespace

int run_timed_command(const std::vector<std::string>& words) {
  po::options_description all, visible, hidden;
  visible.add(timed_options()).add(machine_options());
  hidden.add_options()("input", po::value<std::string>());
  all.add(visible).add(hidden);
  po::positional_options_description positional;
  positional.add("input", 1);
  refuse_removed_words("cachesim timed", words);
  OptionValues values;
  try {
    po::store(po::command_line_parser(words).options(all).positional(positional).run(), values);
    po::notify(values);
  } catch (const po::error& error) {
    throw InputError(fmt::format(
        "{}, expected: cachesim timed CAPTURE --gpu GPU [options]; --help lists them", error.what()));
  }
  if (values.count("help") != 0) {
    std::cout << "cachesim timed CAPTURE --gpu GPU [options]: schedulers, caches and memory cycle by cycle.\n"
                 "Latencies and bandwidths are the preset's; --set changes them. Those that are not known "
                 "are assumed\n"
                 "and printed. docs/tools/timed.md describes model and result.\n"
              << visible << examples_of("cachesim timed");
    return kExitOk;
  }
  if (values.count("input") == 0)
    throw InputError("no capture given, expected: cachesim timed CAPTURE --gpu GPU [options]");
  const TimedCommand command = timed_command_from(values);
  if (is_on(values, "check-options")) return kExitOk;
  check_against_input(command.request, detect_file_kind(command.request.input));
  return simulate_and_report(command, values);
}

}  // namespace warpscope::timed
