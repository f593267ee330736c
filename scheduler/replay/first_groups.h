#pragma once
// The first work-groups of a launch, for a simulation in part.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/replay/work_group_source.h"

namespace warpscope {

class FirstGroups final : public WorkGroupSource {
 public:
  /// `most` of those of `all`, which outlives this; all of them if there are fewer.
  FirstGroups(const WorkGroupSource& all, std::uint64_t most)
      : all_(all),
        groups_(all.groups().begin(),
                all.groups().begin() +
                    static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, all.groups().size()))) {}
  [[nodiscard]] const LaunchInfo& launch() const override { return all_.launch(); }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return groups_; }
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override { return all_.read(group); }

 private:
  const WorkGroupSource& all_;
  std::vector<WorkGroupId> groups_;
};

}  // namespace warpscope
