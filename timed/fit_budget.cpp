#include "timed/fit_budget.h"

#include "cachesim/sampling/budget.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/residency.h"
#include "timed/engine.h"

namespace warpscope::timed {
namespace {

/// Of a sample of cores: the pass over all work-groups that says what their lines are, over the time of the whole.
constexpr double kFootprintPart = 0.1;
/// The drawn cores, and first waves of all cores with twice as many work-groups (calibration_waves()).
constexpr double kCoreTimes = 3;

void simulate_groups(const TimedRequest& request, const CaptureReader& capture, const LaunchInfo& launch,
                     std::uint64_t groups) {
  const StreamHeader header = pilot_header(capture, request.schedule, launch, groups);
  TimedConfig config = request.config;
  if (const LaunchCache cache_of = launch_cache(request.preset, config.l1.cache, request.schedule.registers))
    config.l1.cache = cache_of(launch);
  DispatchOptions options;
  options.cores = request.schedule.cores;
  options.warp_size = request.schedule.warp_size;
  options.reconvergence = request.schedule.reconvergence;
  options.seed = request.schedule.seed;
  options.threads = request.threads;
  const std::uint32_t limit = request.schedule.limits ? resident_work_groups(launch, *request.schedule.limits,
                                                                             request.schedule.registers)
                                                      : request.schedule.max_work_groups;
  options.slots = slots_of(launch, config, options.warp_size, limit, groups);
  const CaptureSource whole(capture, launch);
  TimedEngine(config, header).run(first_groups(whole, groups), options);
}

}  // namespace

std::string fit_budget(TimedRequest& request, double seconds) {
  BudgetQuestion question;
  question.seconds = seconds;
  question.cores_overhead = kFootprintPart;
  question.core_times = kCoreTimes;
  question.look = LookFor::CountsAndCycles;
  const bool draws_cores = request.assignment == "dynamic" || request.assignment == "shuffled";
  return fit_request(request, question, draws_cores,
                     [&](const CaptureReader& capture, const LaunchInfo& launch, std::uint64_t groups) {
                       simulate_groups(request, capture, launch, groups);
                     });
}

}  // namespace warpscope::timed
