#include "timed/run_timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cachesim/l1/l1_cache.h"
#include "cachesim/sampling/estimate.h"
#include "cachesim/sampling/launch_sample.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/simulate/repeat.h"
#include "scheduler/assignment.h"
#include "scheduler/cluster_placement.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/residency.h"
#include "scheduler/skipped_launches.h"
#include "timed/timed_result.h"
#include "timed/warm_up.h"
#include "traces/base/error.h"
#include "traces/base/names.h"
#include "traces/base/progress.h"
#include "traces/files/output_file.h"
#include "traces/program/context.h"

namespace warpscope::timed {
namespace {

StreamHeader header_of(const CaptureReader& capture, const TimedRequest& request) {
  StreamHeader header;
  header.warp_size = request.schedule.warp_size;
  header.cores = request.schedule.cores;
  header.buffers = capture.buffers();
  header.layout = request.schedule.layout;
  std::vector<const LaunchInfo*> launches = request.schedule.launches.of(capture.launches());
  nlohmann::json skipped = nlohmann::json::array();
  if (request.schedule.limits)
    skipped = skip_misfits(launches, *request.schedule.limits, request.schedule.registers);
  nlohmann::json not_timed = leave_untimed_out(launches);
  if (launches.size() == capture.launches().size())
    header.launches = capture.launches();  // not a second list
  else
    for (const LaunchInfo* launch : launches) header.launches.push_back(*launch);
  for (const LaunchInfo* launch : launches) header.work_groups += capture.groups(launch->id).size();
  header.context = program_json("cachesim timed");
  header.context.update({{"capture", capture.hash()},
                         {"partial", capture.is_partial()},
                         {"warp_scheduler", request.config.issue.policy},
                         {"warp_size", header.warp_size},
                         {"cores", header.cores},
                         {"assignment", request.assignment},
                         {"seed", request.schedule.seed},
                         {"launch", request.schedule.launches.launch_json()},
                         {"reconvergence", request.schedule.reconvergence},
                         {"skipped", std::move(skipped)},
                         {"not_timed", std::move(not_timed)}});
  if (request.schedule.limits)
    header.context["residency"] = residency_of(launches, request.schedule);
  else
    header.context["max_work_groups"] = request.schedule.max_work_groups;
  if (!request.schedule.only_core) add_executed(capture, launches, header.context);
  if (const auto missing = capture.notes().find("not_traced"); missing != capture.notes().end())
    header.context["not_traced"] = *missing;
  if (!request.schedule.launches.kernel_text().empty())
    header.context["kernel"] = request.schedule.launches.kernel_text();
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
      fmt::format("launch {}: ideal=fixed-order has room for {} work-groups on a core, fixed order holds "
                  "up to {}; expected --max-workgroups {} or less, for both",
                  launch.id.value(), options.slots, wanted, options.slots));
}

DispatchOptions dispatch_options(const TimedRequest& request) {
  DispatchOptions options;
  options.cores = request.schedule.cores;
  options.gpcs = request.schedule.gpcs;
  options.assignment = request.assignment;
  options.warp_size = request.schedule.warp_size;
  options.reconvergence = request.schedule.reconvergence;
  options.seed = request.schedule.seed;
  options.timeline_cycles = request.timeline_cycles;
  options.threads = request.threads;
  options.host_times = request.host_times;
  return options;
}

/// How many work-groups a core may hold at once; 0 = no limit.
std::uint32_t limit_of(const LaunchInfo& launch, const ScheduleOptions& schedule) {
  return schedule.limits ? resident_work_groups(launch, *schedule.limits, schedule.registers)
                         : schedule.max_work_groups;
}

/// The launches of the header, one after the other, by one engine: the L2 stays, as configured. Launches whose L1 has another
/// size get an engine of their own; its L2 starts empty. `sample`: where these launches were drawn from others, else null.
TimedSummary simulate(const CaptureReader& capture, const TimedRequest& request, const TimedConfig& config,
                      const StreamHeader& header, const LaunchSample* sample, CacheConfig& cache) {
  TimedSummary summary(header, request.preset.core_clock_mhz);
  std::unique_ptr<TimedEngine> engine;
  const LaunchCache cache_of = launch_cache(request.preset, config.l1.cache, request.schedule.registers);
  DispatchOptions options = dispatch_options(request);
  std::optional<WarmUp> between;
  if (sample != nullptr) between.emplace(*sample, capture, request.schedule, config, cache_of);
  Progress progress("simulating", header.work_groups, "work-groups");
  std::uint64_t before = 0, issued = 0;
  for (const LaunchInfo& launch : header.launches) {
    if (request.most_instructions != 0)
      options.most_instructions = std::max<std::uint64_t>(1, request.most_instructions - issued);
    require_sampled_cores(launch, request.schedule.cores, request.assignment);
    const CaptureSource whole(capture, launch);
    const std::uint32_t limit = limit_of(launch, request.schedule);
    require_room_for_clusters(launch, {options.cores, options.gpcs, limit});
    options.slots = slots_of(launch, config, options.warp_size, limit, whole.groups().size());
    const SomeGroups source = first_groups(
        whole, request.waves == 0 ? whole.groups().size()
                                  : std::uint64_t{request.waves} * options.cores * options.slots);
    summary.add_groups(source.groups().size(), whole.groups().size());
    if (request.ideal == Ideal::FixedOrder) check_slots(launch, options, limit, source.groups().size());
    TimedConfig own = config;
    if (cache_of) own.l1.cache = cache_of(launch);
    const bool is_new = between && between->begin_launch(launch);
    if (!engine || is_new || own.l1.cache.ways != cache.ways)
      engine = std::make_unique<TimedEngine>(own, header);
    cache = own.l1.cache;
    before += whole.groups().size();
    if (between) between->fill(*engine, options.cores * options.slots);
    LaunchTiming timing = engine->run(source, options, nullptr,
                                      [&, begun = before - whole.groups().size()](std::uint64_t finished) {
                                        progress.update(begun + finished);
                                      });
    timing.l1_kib = own.l1.cache.size_kib;
    for (const CoreCounts& core : timing.cores) issued += core.instructions;
    summary.add(timing);
    if (request.write_assignment) write_assignment(*request.write_assignment, timing);
  }
  return summary;
}

TimedContext context_of(const TimedRequest& request, const CaptureReader& capture, const CacheConfig& cache) {
  TimedContext context;
  context.result.input_name =
      request.input == "-" ? "-" : std::filesystem::path(request.input).filename().string();
  context.result.input_kind = input_kind_name(FileKind::Capture);
  context.result.cache = cache;
  context.result.coalescing = request.config.coalescing;
  context.result.preset = request.preset;
  context.result.l1_of_preset = true;
  context.result.cores = request.schedule.cores;
  context.result.seed = request.config.seed;
  context.result.partial = capture.is_partial();
  context.result.classes = false;
  context.result.banks = true;
  context.config = request.config;
  context.assumed = request.assumed;
  context.assignment = request.assignment;
  context.ideal = name_of(request.ideal);
  context.waves = request.waves;
  context.cores = request.schedule.cores;
  context.core_clock_mhz = request.preset.core_clock_mhz;
  return context;
}

ResultJson result_of(const TimedRequest& request, const CaptureReader& capture,
                     const LaunchSample* sample = nullptr) {
  const StreamHeader header = header_of(capture, request);
  const TimedConfig& config = request.config;
  CacheConfig cache = config.l1.cache;
  if (request.write_assignment && header.launches.size() != 1)
    throw InputError(
        fmt::format("--write-assignment: the capture has {} launches, expected --launch with one of them",
                    header.launches.size()));
  const TimedSummary summary = simulate(capture, request, config, header, sample, cache);
  std::optional<Effects> effects;
  if (request.effects) {
    CacheConfig ignored = cache;
    TimedRequest again = request;
    again.write_assignment.reset();
    again.timeline_cycles = 0;
    TimedConfig without_limits = config, without_latency = config;
    without_limits.remove_mshr_limits();
    without_latency.remove_memory_latency();
    const auto simulated_on = [&](const TimedConfig& other) {
      return simulate(capture, again, other, header, sample, ignored);
    };
    TimedSummary limits = simulated_on(without_limits);
    effects.emplace(Effects{std::move(limits), simulated_on(without_latency)});
  }
  ResultJson result =
      timed_json(context_of(request, capture, cache), header, summary, effects, request.lists_launches);
  if (sample != nullptr) put_sample(result.json, *sample, summary.counters().launches);
  return result;
}

ResultJson sampled_result(const TimedRequest& request, const CaptureReader& capture) {
  if (sampled_cores_of(capture.launches()))
    throw InputError(
        "--sample-launches: only some cores' work-groups were recorded, expected a capture of all");
  const LaunchPopulation population(capture, request.schedule, LookFor::CountsAndCycles);
  const LaunchSample sample(population, *request.sample_launches, request.schedule.seed);
  TimedRequest part = request;
  part.schedule.launches = sample.selection();
  return result_of(part, capture, &sample);
}

/// What differs between the repetitions of --repeat; as cachesim/simulate/repeat.h, for timed mode.
RepeatPlan plan_of(const TimedRequest& request, const CaptureReader& capture) {
  RepeatPlan plan;
  plan.count = request.repeat;
  plan.first_seed = request.schedule.seed;
  plan.layout = true;
  plan.varied.emplace_back("layout of the buffers");
  if (request.schedule.cores == 1) {
    plan.fixed.emplace_back("placement", "one core has all work-groups");
  } else if (find_named(assignment_rules(), request.assignment) == nullptr) {
    plan.fixed.emplace_back("placement", "--assign names the core of every work-group");
  } else if (sampled_cores_of(capture.launches())) {
    plan.fixed.emplace_back("placement", kSampledPlacement);
  } else {
    plan.placement = true;
    plan.varied.emplace_back("placement of the work-groups on cores");
  }
  const std::string& replacement = request.config.l1.cache.replacement;
  plan.replacement = replacement_policy(replacement).random;
  if (plan.replacement)
    plan.varied.push_back("seed of " + replacement);
  else
    plan.fixed.emplace_back("replacement", replacement + " draws no random numbers");
  return plan;
}

TimedRequest repetition(const TimedRequest& request, const RepeatPlan& plan, std::uint32_t number) {
  TimedRequest other = request;
  if (number == 0) return other;
  other.effects = false;
  other.timeline_cycles = 0;
  other.write_assignment.reset();
  other.schedule.layout.seed += number;
  other.schedule.seed = other.config.seed = other.config.l1.cache.seed = plan.first_seed + number;
  if (!plan.placement) return other;
  const bool is_static = request.assignment == "round-robin" || request.assignment == "random";
  other.assignment = is_static ? "random" : "shuffled";
  return other;
}

}  // namespace

ResultJson run_timed(const TimedRequest& request) {
  const CaptureReader capture(request.input, request.partial);
  if (request.sample_launches) return sampled_result(request, capture);
  if (request.repeat <= 1) return result_of(request, capture);
  const RepeatPlan plan = plan_of(request, capture);
  return repeated(
      plan, [&](std::uint32_t number) { return result_of(repetition(request, plan, number), capture); });
}

}  // namespace warpscope::timed
