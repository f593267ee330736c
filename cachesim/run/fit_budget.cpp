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
  const StreamHeader header = pilot_header(capture, request.schedule, launch, groups);
  L1Simulator simulator(request.simulation);
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      simulator, request.takes, request.stages);
  if (request.simulation.by_source) sink.name_accessors();
  const CaptureSource whole(capture, launch);
  sink.begin(header);
  sink.begin_launch(launch.id);
  run_launch(first_groups(whole, groups), request.schedule, sink);
  sink.end();
}

}  // namespace

std::string fit_budget(SimulationRequest& request, double seconds) {
  BudgetQuestion question;
  question.seconds = seconds;
  question.threads = std::min(request.threads, request.schedule.cores);
  return fit_request(request, question, true,
                     [&](const CaptureReader& capture, const LaunchInfo& launch, std::uint64_t groups) {
                       simulate_groups(request, capture, launch, groups);
                     });
}

}  // namespace warpscope
