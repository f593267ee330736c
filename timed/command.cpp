#include "timed/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/options.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/simulate/repeat.h"
#include "scheduler/assignment.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/residency.h"
#include "scheduler/skipped_launches.h"
#include "timed/issue/issue_policy.h"
#include "timed/timed_result.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/base/progress.h"
#include "traces/base/version.h"
#include "traces/files/output_file.h"

namespace warpscope::timed {
namespace {

namespace po = boost::program_options;

std::uint32_t number(const po::variables_map& values, const char* name, std::uint32_t least,
                     std::uint32_t most) {
  const std::string& text = values[name].as<std::string>();
  if (const auto value = parse_number(text, least, most)) return static_cast<std::uint32_t>(*value);
  throw InputError(fmt::format("--{}: '{}', expected a whole number from {} to {}", name, text, least, most));
}

std::string policies_help() {
  std::string text = "warp scheduler (default: the preset's):";
  for (const IssuePolicyInfo& info : issue_policies()) text += fmt::format("\n{}: {}", info.name, info.help);
  return text;
}

po::options_description own_options() {
  po::options_description own("Timed simulation");
  const std::string policies = policies_help();
  const auto text = [] { return po::value<std::string>(); };
  auto add = own.add_options();
  add("help,h", "this text");
  add("version", "version and commit");
  add("check-options", po::bool_switch(), "check the options, read and write nothing");
  add("warp-scheduler", text()->value_name("P"), policies.c_str());
  add("active-warps", text()->value_name("N"), "two-level: warps of a fetch group (default 8)");
  add("unroll", text()->value_name("N"),
      "iterations of an innermost loop that issue as one body (default 4)");
  add("independent", text()->value_name("N"),
      "an instruction depends on the N-th one before it in its warp (default 2; 1 = a chain)");
  add("allocate-on-fill", po::bool_switch(), "L1 lines take their place when the data arrives");
  add("l1-stages", text()->value_name("wavefronts|in-order"),
      "what an access costs the L1: its tag and data wavefronts as cachesim counts them (default where tags\n"
      "are banked: Volta and later), or its lines in order and its bytes");
  add("l2", text()->value_name("warm|cold"), "keep the L2's content from launch to launch (default warm)");
  add("ideal", text()->implicit_value("issue")->value_name("issue|fixed-order"),
      "nothing takes time and nothing runs out: the order of issue alone (=issue, the default); or the order "
      "of\ncachesim's policy warp, every counter equal to cachesim's (=fixed-order)");
  add("l2-slice-index", text()->value_name("F"),
      "which L2 slice has a line: spread (a hash of all bits, the default) or a set index of cachesim "
      "--help");
  add("l2-set-index", text()->value_name("F"),
      "which set of its slice: as above, of the line number divided by the slices; default spread, or what "
      "--set "
      "l2_set_index=F says");
  add("repeat", text()->value_name("N"),
      "N simulations with other layouts, placements and seeds: the range of every rate");
  add("effects", po::bool_switch(),
      "simulate again without limits on outstanding misses and without latency: what each of them does");
  add("write-assignment", text()->value_name("FILE"),
      "one core per line and work-group, for --assign (one launch: --launch)");
  add("json", text()->value_name("FILE"),
      "write the result as JSON (docs/tools/timed.md; - = standard output)");
  add("launches", text()->value_name("all|groups"),
      "launches in the JSON: each one (default), or only groups of launches that are alike");
  add("top", text()->value_name("N"), "memory instructions and buffers in the tables (default 10)");
  add("partial", po::bool_switch(), "take a capture that was cut short up to its last intact part");
  return own;
}

/// The schedule options that mean something here, with dynamic assignment added.
po::options_description order_options() {
  po::options_description all,
      kept(
          "Machine and layout (--assign also takes dynamic, the default: to the core that is free first, and "
          "shuffled: so, but the cores of every layer in another order)");
  add_schedule_options(all);
  for (const auto& option : all.options())
    if (option->long_name() != "policy" && option->long_name() != "core" &&
        option->long_name() != "self-check")
      kept.add(option);
  return kept;
}

struct Command {
  std::string input;
  ScheduleOptions schedule;
  std::string assignment = "dynamic";
  std::optional<GpuPreset> preset;
  TimedConfig config;
  std::vector<Assumption> assumed;
  bool effects = false, partial = false;
  std::string ideal;  ///< "issue", "fixed-order", or empty
  std::uint32_t repeat = 1;
  std::optional<std::string> json, write_assignment;
  std::size_t top = 10;
  bool lists_launches = true;
};

std::optional<L1Stages> l1_stages(const po::variables_map& values) {
  if (values.count("l1-stages") == 0) return {};
  const std::string& name = values["l1-stages"].as<std::string>();
  if (name != "wavefronts" && name != "in-order")
    throw InputError("--l1-stages " + name + ": expected wavefronts or in-order");
  return name == "wavefronts" ? L1Stages::Wavefronts : L1Stages::InOrder;
}

constexpr const char* kRules[] = {"dynamic", "shuffled", "round-robin", "random"};

/// Where --assign is not the name of a file.
bool names_a_rule(const std::string& assignment) {
  return std::find(std::begin(kRules), std::end(kRules), assignment) != std::end(kRules);
}

std::string assignment_named(const std::string& name) {
  require_assignment(name, kRules);
  return name;
}

void read_memory(const po::variables_map& values, Command& command) {
  MemoryConfig& memory = command.config.memory;
  if (values.count("set") != 0)
    for (const std::string& change : values["set"].as<std::vector<std::string>>())
      if (preset_change(change).first == "l2_set_index") memory.l2_set_index = *command.preset->l2_set_index;
  if (values.count("l2-set-index") != 0) memory.l2_set_index = values["l2-set-index"].as<std::string>();
  if (values.count("l2-slice-index") != 0) memory.l2_slice_index = values["l2-slice-index"].as<std::string>();
  if (values.count("l2") == 0) return;
  const std::string& l2 = values["l2"].as<std::string>();
  if (l2 != "warm" && l2 != "cold") throw InputError("--l2 " + l2 + ": expected warm or cold");
  memory.l2_keeps_content = l2 == "warm";
}

void read_machine(const po::variables_map& values, Command& command) {
  command.schedule = schedule_options_from(values);
  if (values.count("assign") != 0) command.assignment = assignment_named(values["assign"].as<std::string>());
  command.preset = preset_from(values);
  if (!command.preset)
    throw InputError("no GPU given, expected --gpu GPU; --list-presets of cachesim names them");
  PresetConfig from = config_from(*command.preset, l1_stages(values));
  command.config = from.config;
  command.assumed = std::move(from.assumed);
}

/// --ideal, and what does not go together with it.
void read_ideal(const po::variables_map& values, Command& command) {
  if (values.count("ideal") == 0) return;
  const std::string& ideal = values["ideal"].as<std::string>();
  command.ideal = ideal;
  if (ideal != "issue" && ideal != "fixed-order")
    throw InputError(fmt::format("--ideal={}: expected issue or fixed-order", ideal));
  if (ideal == "issue") return command.config.make_ideal();
  for (const char* option : {"warp-scheduler", "active-warps"})
    if (values.count(option) != 0)
      throw InputError(
          fmt::format("--{}: fixed order has its own, expected no such option with "
                      "--ideal=fixed-order",
                      option));
  if (values["allocate-on-fill"].as<bool>())
    throw InputError(
        "--allocate-on-fill: fixed order allocates at once, expected no such option with "
        "--ideal=fixed-order");
  if (values.count("assign") == 0) command.assignment = command.schedule.assignment;
  if (command.assignment == "dynamic" || command.assignment == "shuffled")
    throw InputError(
        fmt::format("--assign {}: expected round-robin, random or a file with "
                    "--ideal=fixed-order",
                    command.assignment));
  command.config.make_fixed_order();
}

Command command_from(const po::variables_map& values) {
  Command command;
  command.input = values["input"].as<std::string>();
  read_machine(values, command);
  TimedConfig& config = command.config;
  if (values.count("warp-scheduler") != 0) config.issue.policy = values["warp-scheduler"].as<std::string>();
  if (values.count("active-warps") != 0) config.issue.active_warps = number(values, "active-warps", 1, 64);
  if (values.count("unroll") != 0) config.issue.unroll = number(values, "unroll", 1, 64);
  if (values.count("independent") != 0) config.issue.independent = number(values, "independent", 1, 1000);
  config.l1.allocate_on_fill = values["allocate-on-fill"].as<bool>();
  read_memory(values, command);
  read_ideal(values, command);
  config.seed = command.schedule.seed;
  config.l1.cache.seed = command.schedule.seed;
  command.effects = values["effects"].as<bool>();
  command.partial = values["partial"].as<bool>();
  if (values.count("repeat") != 0) command.repeat = number(values, "repeat", 2, 10000);
  if (values.count("json") != 0) command.json = values["json"].as<std::string>();
  if (values.count("write-assignment") != 0)
    command.write_assignment = values["write-assignment"].as<std::string>();
  command.lists_launches = lists_launches(values);
  if (values.count("top") != 0) command.top = number(values, "top", 0, 1u << 20);
  return command;
}

StreamHeader header_of(const CaptureReader& capture, const Command& command) {
  StreamHeader header;
  header.warp_size = command.schedule.warp_size;
  header.cores = command.schedule.cores;
  header.buffers = capture.buffers();
  header.layout = command.schedule.layout;
  std::vector<const LaunchInfo*> launches = command.schedule.launches.of(capture.launches());
  nlohmann::json skipped = nlohmann::json::array();
  if (command.schedule.limits)
    skipped = skip_misfits(launches, *command.schedule.limits, command.schedule.registers);
  if (launches.size() == capture.launches().size())
    header.launches = capture.launches();  // not a second list
  else
    for (const LaunchInfo* launch : launches) header.launches.push_back(*launch);
  for (const LaunchInfo* launch : launches) header.work_groups += capture.groups(launch->id).size();
  header.context = {{"tool", "cachesim timed"},
                    {"version", version()},
                    {"commit", commit()},
                    {"capture", capture.hash()},
                    {"partial", capture.is_partial()},
                    {"warp_scheduler", command.config.issue.policy},
                    {"warp_size", header.warp_size},
                    {"cores", header.cores},
                    {"assignment", command.assignment},
                    {"seed", command.schedule.seed},
                    {"launch", command.schedule.launches.launch_json()},
                    {"reconvergence", command.schedule.reconvergence},
                    {"skipped", std::move(skipped)}};
  if (const auto missing = capture.notes().find("not_traced"); missing != capture.notes().end())
    header.context["not_traced"] = *missing;
  if (!command.schedule.launches.kernel_text().empty())
    header.context["kernel"] = command.schedule.launches.kernel_text();
  if (capture.file_header().contains("device_like"))
    header.context["device_like"] = capture.file_header().at("device_like");
  return header;
}

void write_assignment(const std::string& path, const LaunchTiming& timing) {
  OutputFile file(path);
  for (const CoreId core : timing.core_of_group) file.write(fmt::format("{}\n", core.value()));
  file.commit();
}

/// Fixed order holds as many work-groups as it is told to, the engine as many as its warps have places.
void check_slots(const LaunchInfo& launch, const DispatchOptions& options, std::uint32_t limit,
                 std::uint64_t groups) {
  const std::uint64_t wanted = limit == 0 ? groups : std::min<std::uint64_t>(limit, groups);
  if (options.slots >= wanted) return;
  throw InputError(
      fmt::format("launch {}: --ideal=fixed-order has room for {} work-groups on a core, fixed order holds "
                  "up to {}; expected --max-workgroups {} or less, for both",
                  launch.id.value(), options.slots, wanted, options.slots));
}

/// All launches of the header with one configuration. Launches whose local memory leaves an L1 of another
/// size get an engine of their own; its L2 starts empty.
TimedSummary simulate(const CaptureReader& capture, const Command& command, const TimedConfig& config,
                      const StreamHeader& header, CacheConfig& cache) {
  TimedSummary summary(header, command.preset->core_clock_mhz);
  std::unique_ptr<TimedEngine> engine;
  Progress progress("simulating", header.work_groups, "work-groups");
  const LaunchCache cache_of = launch_cache(*command.preset, config.l1.cache, command.schedule.registers);
  std::uint64_t before = 0;
  for (const LaunchInfo& launch : header.launches) {
    const CaptureSource source(capture, launch);
    DispatchOptions options;
    options.cores = command.schedule.cores;
    options.assignment = command.assignment;
    options.warp_size = command.schedule.warp_size;
    options.reconvergence = command.schedule.reconvergence;
    options.seed = command.schedule.seed;
    const std::uint32_t limit =
        command.schedule.limits
            ? resident_work_groups(launch, *command.schedule.limits, command.schedule.registers)
            : command.schedule.max_work_groups;
    options.slots = slots_of(launch, config, options.warp_size, limit, source.groups().size());
    if (command.ideal == "fixed-order") check_slots(launch, options, limit, source.groups().size());
    TimedConfig own = config;
    if (cache_of) own.l1.cache = cache_of(launch, header.cores);
    if (!engine || own.l1.cache.ways != cache.ways) engine = std::make_unique<TimedEngine>(own, header);
    cache = own.l1.cache;
    LaunchTiming timing = engine->run(source, options, nullptr,
                                      [&](std::uint64_t finished) { progress.update(before + finished); });
    timing.l1_kib = own.l1.cache.size_kib;
    summary.add(timing);
    if (command.write_assignment) write_assignment(*command.write_assignment, timing);
    before += source.groups().size();
  }
  return summary;
}

TimedContext context_of(const Command& command, const CaptureReader& capture, const CacheConfig& cache) {
  TimedContext context;
  context.result.input_name =
      command.input == "-" ? "-" : std::filesystem::path(command.input).filename().string();
  context.result.input_kind = input_kind_name(FileKind::Capture);
  context.result.cache = cache;
  context.result.coalescing = command.config.coalescing;
  context.result.preset = command.preset;
  context.result.cores = command.schedule.cores;
  context.result.seed = command.config.seed;
  context.result.partial = capture.is_partial();
  context.result.classes = false;
  context.config = command.config;
  context.assumed = command.assumed;
  context.assignment = command.assignment;
  context.ideal = command.ideal;
  context.cores = command.schedule.cores;
  context.core_clock_mhz = command.preset->core_clock_mhz;
  return context;
}

ResultJson result_of(const Command& command, const CaptureReader& capture) {
  const StreamHeader header = header_of(capture, command);
  CacheConfig cache = command.config.l1.cache;
  if (command.write_assignment && header.launches.size() != 1)
    throw InputError(
        fmt::format("--write-assignment: the capture has {} launches, expected --launch with one of them",
                    header.launches.size()));
  const TimedSummary summary = simulate(capture, command, command.config, header, cache);
  std::optional<Effects> effects;
  if (command.effects) {
    CacheConfig ignored = cache;
    Command again = command;
    again.write_assignment.reset();
    TimedConfig without_limits = command.config, without_latency = command.config;
    without_limits.remove_mshr_limits();
    without_latency.remove_memory_latency();
    effects.emplace(Effects{simulate(capture, again, without_limits, header, ignored),
                            simulate(capture, again, without_latency, header, ignored)});
  }
  return timed_json(context_of(command, capture, cache), header, summary, effects, command.lists_launches);
}

/// What differs between the repetitions of --repeat; as cachesim/simulate/repeat.h, for timed mode.
RepeatPlan plan_of(const Command& command) {
  RepeatPlan plan;
  plan.count = command.repeat;
  plan.first_seed = command.schedule.seed;
  plan.layout = true;
  plan.varied.emplace_back("layout of the buffers");
  if (command.schedule.cores == 1) {
    plan.fixed.emplace_back("placement", "one core has all work-groups");
  } else if (!names_a_rule(command.assignment)) {
    plan.fixed.emplace_back("placement", "--assign names the core of every work-group");
  } else {
    plan.placement = true;
    plan.varied.emplace_back("placement of the work-groups on cores");
  }
  const std::string& replacement = command.config.l1.cache.replacement;
  plan.replacement = replacement_policy(replacement).random;
  if (plan.replacement)
    plan.varied.push_back("seed of " + replacement);
  else
    plan.fixed.emplace_back("replacement", replacement + " draws no random numbers");
  return plan;
}

Command repetition(const Command& command, const RepeatPlan& plan, std::uint32_t number) {
  Command other = command;
  if (number == 0) return other;
  other.effects = false;
  other.write_assignment.reset();
  other.schedule.layout.seed += number;
  other.schedule.seed = other.config.seed = other.config.l1.cache.seed = plan.first_seed + number;
  if (!plan.placement) return other;
  const bool is_static = command.assignment == "round-robin" || command.assignment == "random";
  other.assignment = is_static ? "random" : "shuffled";
  return other;
}

ResultJson repeated_result(const Command& command, const CaptureReader& capture) {
  const RepeatPlan plan = plan_of(command);
  return repeated(
      plan, [&](std::uint32_t number) { return result_of(repetition(command, plan, number), capture); });
}

int simulate_and_report(const Command& command) {
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);
  const CaptureReader capture(command.input, command.partial);
  const ResultJson result =
      command.repeat > 1 ? repeated_result(command, capture) : result_of(command, capture);
  if (json) {
    write_json(result, *json);
    json->commit();
  }
  write_timed_report(result.json, command.top, command.json == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim timed", result.json.at("context").at("skipped"), std::cerr);
}

}  // namespace

int run_command(int argc, char** argv) {
  po::options_description all, visible, hidden;
  visible.add(own_options()).add(order_options());
  hidden.add_options()("input", po::value<std::string>());
  all.add(visible).add(hidden);
  po::positional_options_description positional;
  positional.add("input", 1);
  po::variables_map values;
  const std::vector<std::string> words(argv + 2, argv + argc);
  try {
    po::store(po::command_line_parser(words).options(all).positional(positional).run(), values);
    po::notify(values);
  } catch (const po::error& error) {
    throw InputError(fmt::format(
        "{}, expected: cachesim timed CAPTURE --gpu GPU [options]; --help lists them", error.what()));
  }
  if (values.count("help") != 0) {
    std::cout
        << "cachesim timed CAPTURE --gpu GPU [options]: schedulers, caches and memory cycle by cycle.\n"
           "Latencies and bandwidths are the preset's, --set changes them; what it does not know is assumed\n"
           "and printed. docs/tools/timed.md describes model and result.\n"
        << visible;
    return kExitOk;
  }
  if (values.count("input") == 0)
    throw InputError("no capture given, expected: cachesim timed CAPTURE --gpu GPU [options]");
  const Command command = command_from(values);
  issue_policy_named(command.config.issue.policy);
  validate(command.config);
  if (values["check-options"].as<bool>()) return kExitOk;
  const FileKind kind = detect_file_kind(command.input);
  if (kind != FileKind::Capture)
    throw InputError(fmt::format(
        "{}: is no capture, expected one of trace-kernel: a schedule has its order already", command.input));
  return simulate_and_report(command);
}

}  // namespace warpscope::timed
