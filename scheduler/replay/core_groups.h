#pragma once
// The work-groups of some cores of a launch, for a simulation in part.
#include <algorithm>
#include <vector>

#include "scheduler/replay/work_group_source.h"
#include "traces/program/group_selection.h"

namespace warpscope {

class CoreGroups final : public WorkGroupSource {
 public:
  /// Those of `all`, which outlives this, that are dealt out in turn to `cores`: work-group i to core i mod cores.of.
  CoreGroups(const WorkGroupSource& all, const SampledCores& cores) : all_(all) {
    std::copy_if(all.groups().begin(), all.groups().end(), std::back_inserter(groups_),
                 [&](WorkGroupId group) { return cores.has(group.value() % cores.of); });
  }
  [[nodiscard]] const LaunchInfo& launch() const override { return all_.launch(); }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return groups_; }
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override { return all_.read(group); }

 private:
  const WorkGroupSource& all_;
  std::vector<WorkGroupId> groups_;
};

}  // namespace warpscope
