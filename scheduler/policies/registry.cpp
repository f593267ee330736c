#include "scheduler/policies/registry.h"

#include <fmt/format.h>

#include <array>

#include "traces/base/names.h"

namespace warpscope {

// Defined in policies/, one file each.
#define SCHEDULER(name, factory, order, help, source) \
  std::unique_ptr<WarpScheduler> factory(std::uint64_t seed);
#include "scheduler/policies/registry.def"
#undef SCHEDULER

std::span<const SchedulerInfo> schedulers() {
  static constexpr std::array kSchedulers{
#define SCHEDULER(name, factory, order, help, source) \
  SchedulerInfo{name, factory, VisitOrder::order, help, source},
#include "scheduler/policies/registry.def"
#undef SCHEDULER
  };
  return kSchedulers;
}

const SchedulerInfo& scheduler_named(const std::string& name) {
  if (const SchedulerInfo* info = find_named(schedulers(), name)) return *info;
  throw unknown_name(fmt::format("--policy {}: unknown policy", name), names_of(schedulers()));
}

}  // namespace warpscope
