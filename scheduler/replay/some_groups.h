#pragma once
// Some work-groups of a launch, for a simulation in part.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "scheduler/replay/work_group_source.h"
#include "traces/capture/reader.h"
#include "traces/program/group_selection.h"

namespace warpscope {

class SomeGroups final : public WorkGroupSource {
 public:
  /// `groups`, ascending, are among those of `all`, which outlives this.
  SomeGroups(const WorkGroupSource& all, std::vector<WorkGroupId> groups)
      : all_(all), groups_(std::move(groups)) {}
  [[nodiscard]] const LaunchInfo& launch() const override { return all_.launch(); }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return groups_; }
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override { return all_.read(group); }
  [[nodiscard]] SharedGroup read(WorkGroupId group, FormMemory& memory) const override {
    return all_.read(group, memory);
  }

 private:
  const WorkGroupSource& all_;
  std::vector<WorkGroupId> groups_;
};

/// The first `most` work-groups; all if there are fewer.
inline SomeGroups first_groups(const WorkGroupSource& all, std::uint64_t most) {
  const std::vector<WorkGroupId>& groups = all.groups();
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, groups.size()));
  return {all, {groups.begin(), groups.begin() + count}};
}

/// Those that are dealt out in turn to `cores`: work-group i to core i mod cores.of.
inline SomeGroups groups_of_cores(const WorkGroupSource& all, const SampledCores& cores) {
  std::vector<WorkGroupId> groups;
  std::copy_if(all.groups().begin(), all.groups().end(), std::back_inserter(groups),
               [&](WorkGroupId group) { return cores.has(group.value() % cores.of); });
  return {all, std::move(groups)};
}

/// Those that all cores run first, of a launch that was recorded with them: GroupSelection::first().
inline SomeGroups calibration_groups(const WorkGroupSource& sample, const CaptureReader& capture) {
  const LaunchInfo& launch = sample.launch();
  const std::uint64_t first = GroupSelection::parse(launch.sampling).first();
  std::vector<WorkGroupId> groups;
  std::copy_if(capture.recorded(launch.id).begin(), capture.recorded(launch.id).end(),
               std::back_inserter(groups), [first](WorkGroupId group) { return group.value() < first; });
  return {sample, std::move(groups)};
}

}  // namespace warpscope
