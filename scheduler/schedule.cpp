#include "scheduler/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "gpus/registers.h"
#include "scheduler/assignment.h"
#include "scheduler/cluster_placement.h"
#include "scheduler/policies/registry.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/control_flow.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/residency.h"
#include "scheduler/run_launch.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/program/context.h"

namespace warpscope {

nlohmann::json residency_of(const std::vector<const LaunchInfo*>& launches, const ScheduleOptions& options) {
  struct Alike {
    const LaunchInfo* first;
    NumberRanges launches;
  };
  std::vector<Alike> groups;
  std::map<std::tuple<const void*, std::uint64_t, std::uint64_t>, std::size_t> known;
  for (const LaunchInfo* launch : launches) {
    const auto [entry, is_new] = known.try_emplace(
        {launch->kernel.identity(), launch->local.count(), launch->dynamic_local_bytes}, groups.size());
    if (is_new) groups.push_back({launch, {}});
    groups[entry->second].launches.add(launch->id.value());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const Alike& group : groups) {
    const LaunchInfo& launch = *group.first;
    const WorkGroupNeeds needs = needs_of(launch, *options.limits, options.registers);
    const Occupancy found = occupancy(*options.limits, needs);
    all.push_back({{"launch", launch.id.value()},
                   {"launches", group.launches.text()},
                   {"work_groups", resident_work_groups(launch, *options.limits, options.registers)},
                   {"limited_by", found.binding ? found.binding->what : "nothing"},
                   {"registers", needs.registers_per_work_item},
                   {"registers_from", options.registers ? "--registers" : launch.kernel->registers_from}});
    if (const std::string as = registers_stand_in(*launch.kernel, *options.limits);
        !options.registers && !as.empty())
      all.back()["registers_as"] = as;
    if (!launch.kernel->machine_code.empty()) all.back()["machine_code"] = launch.kernel->machine_code;
  }
  return all;
}

void add_executed(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                  nlohmann::json& context) {
  nlohmann::json all = nlohmann::json::array();
  for (const LaunchInfo* launch : launches) {
    if (launch->kernel->machine_code.empty()) continue;
    const auto code = capture.machine_code(launch->id);
    if (!code) continue;
    all.push_back(
        {{"launch", launch->id.value()}, {"counters", executed_counters(*code, capture.totals(launch->id))}});
    if (const std::string text = order_dependence(*code); !text.empty())
      context["order_dependent"].push_back({{"launch", launch->id.value()}, {"text", text}});
  }
  if (!all.empty()) context["executed"] = std::move(all);
}

namespace {

nlohmann::json context_of(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                          const ScheduleOptions& options, std::uint32_t warp_size) {
  nlohmann::json context = program_json("warpsched");
  context.update({
      {"capture", capture.hash()},
      {"partial", capture.is_partial()},
      {"policy", options.policy},
      {"warp_size", warp_size},
      {"cores", options.cores},
      {"core", options.only_core ? nlohmann::json(options.only_core->value()) : nlohmann::json("all")},
      {"launch", options.launches.launch_json()},
      {"assignment", options.assignment},
      {"seed", options.seed},
      {"reconvergence", options.reconvergence},
      {"layout", layout_json(options.layout)},
  });
  if (!options.sample.empty()) context[kSampledCores] = options.sample;
  if (options.formation)
    context["formation"] = formations()[static_cast<std::size_t>(*options.formation)].name;
  if (!options.launches.kernel_text().empty()) context["kernel"] = options.launches.kernel_text();
  if (capture.file_header().contains("device_like"))
    context["device_like"] = capture.file_header().at("device_like");
  if (options.limits) {
    context["max_work_groups"] = "limits of preset " + options.limits->name;
    context["residency"] = residency_of(launches, options);
  } else {
    context["max_work_groups"] = options.max_work_groups;
  }
  const bool are_all_cores = options.sample.empty() || options.sample.size() == options.cores;
  if (!options.only_core && are_all_cores) add_executed(capture, launches, context);
  if (const auto missing = capture.notes().find("not_traced"); missing != capture.notes().end())
    context["not_traced"] = *missing;
  if (!options.preset_context.is_null()) context["preset"] = options.preset_context;
  return context;
}

}  // namespace

std::vector<std::uint32_t> drawn_for(const CaptureReader& capture,
                                     const std::vector<const LaunchInfo*>& launches,
                                     const ScheduleOptions& options) {
  const auto refuse = [](const std::string& why) { throw InputError("--sample-cores: " + why); };
  if (options.sample_count > options.cores)
    refuse(fmt::format("{} of {} cores, expected at most as many as there are", options.sample_count,
                       options.cores));
  if (options.only_core) refuse("--core names one core, expected one of both options");
  if (options.assignment != "round-robin" && options.assignment != "random")
    refuse("--assign FILE may give a core anything, expected round-robin or random");
  if (capture.is_partial()) refuse("the capture was cut short, expected a whole one");
  LaunchShapes shapes;
  for (const LaunchInfo* launch : launches) {
    if (places_clusters(*launch, options.gpcs))
      refuse(
          fmt::format("launch {} has clusters, which are placed as wholes, expected work-groups that are "
                      "placed one by one",
                      launch->id.value()));
    if (*launch->sampling != "all")
      refuse(fmt::format("of launch {} only work-groups {} were recorded, expected all", launch->id.value(),
                         *launch->sampling));
    ++shapes[launch->groups()];
  }
  const CorePlacement placement =
      options.assignment == "random" ? CorePlacement::Random : CorePlacement::InTurn;
  return draw_cores(core_strata(shapes, options.cores, placement), options.sample_count, options.seed);
}

std::vector<std::uint32_t> drawn_for_stream(const StreamHeader& header) {
  if (!header.context.is_object() || !header.context.contains(kSampledCores)) return {};
  const nlohmann::json& list = header.context.at(kSampledCores);
  std::vector<std::uint32_t> cores;
  const auto follows = [&](const nlohmann::json& core) {
    return core.is_number_unsigned() && core < header.cores && (cores.empty() || core > cores.back());
  };
  for (const nlohmann::json& core : list) {
    if (!list.is_array() || !follows(core)) break;
    cores.push_back(core.get<std::uint32_t>());
  }
  if (cores.empty() || cores.size() != list.size())
    throw InputError(
        fmt::format("context.{}: expected rising numbers of cores below {}", kSampledCores, header.cores));
  return cores;
}

void use_gpu(ScheduleOptions& options, const GpuPreset& gpu) {
  options.cores = gpu.cores;
  options.gpcs = gpu.gpcs.value_or(0);
  options.warp_size = gpu.warp_size;
  options.limits = gpu;
  options.preset_context = gpu.raw;
  options.preset_context["name"] = gpu.name;
}

void validate(const ScheduleOptions& options) {
  const auto expect = [](bool holds, const char* what, std::uint64_t value, std::uint64_t most,
                         std::uint64_t least = 1) {
    if (!holds) throw InputError(fmt::format("{} is {}, expected {} to {}", what, value, least, most));
  };
  scheduler_named(options.policy);
  reconvergence_named(options.reconvergence);
  expect(options.warp_size >= 1 && options.warp_size <= kMaxWarpSize, "warp size", options.warp_size,
         kMaxWarpSize);
  if (options.sample_count != 0)
    expect(options.sample_count >= kLeastSampledCores && options.sample_count <= kMostScheduledCores,
           "cores of a sample", options.sample_count, kMostScheduledCores, kLeastSampledCores);
  expect(options.cores >= 1 && options.cores <= kMostScheduledCores, "cores", options.cores,
         kMostScheduledCores);
  if (options.only_core && options.only_core->value() >= options.cores)
    throw InputError(
        fmt::format("core {} of {}, expected a smaller number", options.only_core->value(), options.cores));
  if (options.formation && (scheduler_named(options.policy).order == VisitOrder::WorkItems ||
                            options.reconvergence != "ipdom" || options.self_check))
    throw InputError(
        "--formation: has an order and a reconvergence of its own, expected it without policies of single "
        "work-items, --reconvergence loops and --self-check");
  if (!std::has_single_bit(options.layout.granule))
    throw InputError(
        fmt::format("alignment of buffers is {}, expected a power of two", options.layout.granule));
}

nlohmann::json run_schedule(const CaptureReader& capture, const ScheduleOptions& asked,
                            WarpAccessSink& sink) {
  validate(asked);
  ScheduleOptions options = asked;
  const SchedulerInfo& policy = scheduler_named(options.policy);
  std::vector<const LaunchInfo*> launches = options.launches.of(capture.launches());
  nlohmann::json skipped = nlohmann::json::array();
  if (options.limits) skipped = skip_misfits(launches, *options.limits, options.registers);
  for (const LaunchInfo* launch : launches) require_sampled_cores(*launch, options.cores, options.assignment);
  if (options.sample_count != 0) options.sample = drawn_for(capture, launches, options);

  StreamHeader header;
  header.warp_size = policy.order == VisitOrder::WorkItems ? 1 : options.warp_size;
  header.cores = options.cores;
  for (const LaunchInfo* launch : launches) header.work_groups += capture.groups(launch->id).size();
  header.context = context_of(capture, launches, options, header.warp_size);
  header.context["skipped"] = skipped;
  header.context["not_timed"] = untimed_among(launches);
  header.buffers = capture.buffers();
  header.layout = options.layout;
  if (launches.size() == capture.launches().size())
    header.launches = capture.launches();  // not a second list
  else
    for (const LaunchInfo* launch : launches) header.launches.push_back(*launch);
  sink.begin(header);

  const std::uint64_t scheduled = options.sample.empty()
                                      ? header.work_groups
                                      : header.work_groups * options.sample.size() / options.cores;
  Progress progress("scheduling", scheduled, "work-groups");
  std::uint64_t finished = 0;
  for (const LaunchInfo* launch : launches) {
    sink.begin_launch(launch->id);
    const CaptureSource source(capture, *launch);
    const auto group_finished = [&](WorkGroupId) {
      // Who has one share of several shows it for all.
      if (options.share.number == 0) progress.update(std::min(scheduled, ++finished * options.share.of));
    };
    run_launch(source, options, sink, group_finished);
  }
  sink.end();
  return skipped;
}

}  // namespace warpscope
