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
  [[nodiscard]] std::optional<MachineCode> machine_code() const override { return all_.machine_code(); }

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

}  // namespace warpscope
