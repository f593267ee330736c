#pragma once
// The scheduling policies by name, from registry.def.
#include <span>
#include <string>

#include "scheduler/policies/warp_scheduler.h"

namespace warpscope {

struct SchedulerInfo {
  const char* name;
  SchedulerFactory factory;
  VisitOrder order;
  const char* help;
  const char* source;  ///< publication that describes the policy
};

/// In the order of registry.def.
std::span<const SchedulerInfo> schedulers();
/// Throws InputError that lists the known names.
const SchedulerInfo& scheduler_named(const std::string& name);

}  // namespace warpscope
