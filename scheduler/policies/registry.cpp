#include "scheduler/policies/registry.h"

#include <fmt/format.h>

#include <array>

#include "traces/base/error.h"

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
  for (const SchedulerInfo& info : schedulers()) {
    if (name == info.name) return info;
  }
  throw InputError(fmt::format("--policy {}: unknown policy, expected one of {}", name, scheduler_names()));
}

std::string scheduler_names() {
  std::string names;
  for (const SchedulerInfo& info : schedulers())
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}

}  // namespace warpscope
