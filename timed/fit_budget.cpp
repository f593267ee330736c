#include "timed/fit_budget.h"

#include "cachesim/sampling/budget.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/residency.h"
#include "timed/engine.h"

namespace warpscope::timed {
namespace {

std::uint32_t slots_for(const TimedRequest& request, const TimedConfig& config, const LaunchInfo& launch,
                        std::uint64_t groups) {
  const std::uint32_t limit = request.schedule.limits ? resident_work_groups(launch, *request.schedule.limits,
                                                                             request.schedule.registers)
                                                      : request.schedule.max_work_groups;
  return slots_of(launch, config, request.schedule.warp_size, limit, groups);
}

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
  options.slots = slots_for(request, config, launch, groups);
  const CaptureSource whole(capture, launch);
  TimedEngine(config, header).run(first_groups(whole, groups), options);
}

}  // namespace

std::string fit_budget(TimedRequest& request, double seconds) {
  BudgetQuestion question;
  question.seconds = seconds;
  question.pilot_groups = request.schedule.cores;  // fewer would leave cores idle, which is no faster
  question.look = LookFor::CountsAndCycles;
  if (request.assignment == "dynamic" || request.assignment == "shuffled")
    question.wave_of = [&](const LaunchInfo& launch) {
      return std::uint64_t{request.schedule.cores} *
             slots_for(request, request.config, launch, launch.groups().count());
    };
  return fit_request(request, question, /*draws_cores=*/false,
                     [&](const CaptureReader& capture, const LaunchInfo& launch, std::uint64_t groups) {
                       simulate_groups(request, capture, launch, groups);
                     });
}

}  // namespace warpscope::timed
