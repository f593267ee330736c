#include "timed/fit_budget.h"

#include "scheduler/residency.h"
#include "timed/engine.h"

namespace warpscope::timed {
namespace {

std::uint64_t wave_of(const TimedRequest& request, const LaunchInfo& launch) {
  const std::uint32_t limit = request.schedule.limits ? resident_work_groups(launch, *request.schedule.limits,
                                                                             request.schedule.registers)
                                                      : request.schedule.max_work_groups;
  return std::uint64_t{request.schedule.cores} *
         slots_of(launch, request.config, request.schedule.warp_size, limit, launch.groups().count());
}

}  // namespace

BudgetChoice fit_budget(TimedRequest& request, double work) {
  BudgetQuestion question;
  question.work = work;
  question.look = LookFor::CountsAndCycles;
  if (request.assignment == "dynamic" || request.assignment == "shuffled")
    question.wave_of = [&](const LaunchInfo& launch) { return wave_of(request, launch); };
  return fit_request(request, question, /*draws_cores=*/false);
}

}  // namespace warpscope::timed
