#include "cachesim/run/fit_budget.h"

#include <algorithm>

#include "cachesim/sampling/budget.h"
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/run_launch.h"

namespace warpscope {
namespace {

void simulate_groups(const SimulationRequest& request, const CaptureReader& capture, const LaunchInfo& launch,
                     std::uint64_t groups) {
  StreamHeader header;
  header.warp_size = request.schedule.warp_size;
  header.cores = request.schedule.cores;
  header.work_groups = groups;
  header.buffers = capture.buffers();
  header.layout = request.schedule.layout;
  header.launches.push_back(launch);
  L1Simulator simulator(request.simulation);
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      simulator, request.takes, request.stages);
  if (request.simulation.by_whom) sink.name_touchers();
  const CaptureSource whole(capture, launch);
  sink.begin(header);
  sink.begin_launch(launch.id);
  run_launch(first_groups(whole, groups), request.schedule, sink);
  sink.end();
}

}  // namespace

std::string fit_budget(SimulationRequest& request, double seconds) {
  const BudgetClock clock;
  const CaptureReader capture(request.input, request.partial);
  const LaunchPopulation population(capture, request.schedule);
  BudgetQuestion question;
  question.seconds = seconds;
  question.threads = std::min(request.threads, request.schedule.cores);
  question.cores = cores_to_draw(capture, population, request.schedule);
  question.pilot = [&](const LaunchInfo& launch, std::uint64_t groups) {
    simulate_groups(request, capture, launch, groups);
  };
  const BudgetChoice choice = choose_for_budget(population, question, clock);
  if (choice.part == BudgetChoice::Part::Launches) request.sample_launches = LaunchCount{choice.count, 0};
  if (choice.part == BudgetChoice::Part::Cores) request.schedule.sample_count = choice.count;
  return choice.text(seconds);
}

}  // namespace warpscope
