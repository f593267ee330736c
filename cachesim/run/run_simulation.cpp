#include "cachesim/run/run_simulation.h"

#include <filesystem>

#include "cachesim/counters/runs.h"
#include "cachesim/result/result_json.h"
#include "cachesim/sampling/core_estimates.h"
#include "cachesim/sampling/launch_sample.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/repeat.h"
#include "cachesim/simulate/simulation.h"
#include "traces/capture/reader.h"

namespace warpscope {
namespace {

bool says_partial(const nlohmann::json& context) {
  return context.is_object() && context.contains("partial") && context.at("partial") == true;
}

ResultContext context_for(const SimulationRequest& request, FileKind kind, const Simulated& simulated) {
  const StreamHeader& header = simulated.header.stream;
  ResultContext context;
  context.input_name = request.input == "-" ? "-" : std::filesystem::path(request.input).filename().string();
  context.input_kind = input_kind_name(kind);
  context.cache = request.simulation.cache;
  context.coalescing = simulated.header.coalescing;
  context.preset = request.preset;
  context.l1_of_preset = request.cache_of_preset;
  context.cores = kind == FileKind::TextStream ? request.cores.value_or(1) : header.cores;
  context.seed = request.simulation.cache.seed;
  context.partial = simulated.partial || says_partial(header.context);
  context.classes = request.simulation.classes;
  context.stages = simulated.header.stages;
  context.reuse_histogram = request.simulation.reuse_histogram;
  context.by_source = request.simulation.by_source;
  return context;
}

/// `sample`: where the launches of the request are some that were drawn, of which; else null.
ResultJson result_of(const SimulationRequest& request, FileKind kind, const LaunchSample* sample = nullptr) {
  const Simulated simulated = simulate(request, kind);
  std::vector<Counts> totals;
  totals.reserve(simulated.runs.size());
  for (const SimulationResult& run : simulated.runs) totals.push_back(run.total());
  std::optional<RunStatistics> runs;
  if (request.runs > 1) {
    runs = run_statistics(totals, request.simulation.classes, request.simulation.cache.seed);
    runs->work_groups = simulated.work_groups;
  }
  const StreamHeader& header = simulated.header.stream;
  const SimulationResult& shown = simulated.runs[runs ? runs->shown : 0];
  ResultJson result =
      make_result(context_for(request, kind, simulated), header, shown, runs, request.lists_launches);
  if (const auto drawn = drawn_cores(header))
    result.json["total"]["estimate"] = core_estimates(header, *drawn, shown);
  if (sample != nullptr) put_sample(result.json, *sample, shown.launches);
  return result;
}

ResultJson sampled_result(const SimulationRequest& request, FileKind kind) {
  const CaptureReader capture(request.input, request.partial);
  require_all_cores(capture);
  const LaunchPopulation population(capture, request.schedule);
  const LaunchSample sample(population, *request.sample_launches, request.schedule.seed);
  SimulationRequest part = request;
  part.schedule.launches = sample.selection();
  return result_of(part, kind, &sample);
}

}  // namespace

ResultJson run_simulation(const SimulationRequest& request, FileKind kind) {
  if (request.sample_launches) return sampled_result(request, kind);
  if (request.repeat <= 1) return result_of(request, kind);
  const RepeatPlan plan = plan_repetitions(request, kind);
  return repeated(plan,
                  [&](std::uint32_t number) { return result_of(repetition(request, plan, number), kind); });
}

}  // namespace warpscope
