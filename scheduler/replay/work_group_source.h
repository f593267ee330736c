#pragma once
// Where a launch's work-groups come from: a capture, or a test.
#include <optional>
#include <vector>

#include "traces/program/capture.h"
#include "traces/program/machine_code.h"
#include "traces/program/shared_group.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

class WorkGroupSource {
 public:
  virtual ~WorkGroupSource() = default;
  [[nodiscard]] virtual const LaunchInfo& launch() const = 0;
  /// Work-groups present, ascending.
  [[nodiscard]] virtual const std::vector<WorkGroupId>& groups() const = 0;
  /// Throws InputError on damage. Several threads may read at the same time.
  [[nodiscard]] virtual WorkGroupTrace read(WorkGroupId group) const = 0;
  /// The same for a replay. `memory`: of this source, and of the calling thread.
  [[nodiscard]] virtual SharedGroup read(WorkGroupId group, FormMemory& /*memory*/) const {
    return SharedGroup(read(group));
  }
  /// The GPU's own instructions, where the launch has executed them; its blocks and sites are theirs.
  [[nodiscard]] virtual std::optional<MachineCode> machine_code() const { return std::nullopt; }
};

}  // namespace warpscope
