#pragma once
// The work-groups of one launch of a capture.
#include "scheduler/replay/work_group_source.h"
#include "traces/capture/reader.h"

namespace warpscope {

class CaptureSource final : public WorkGroupSource {
 public:
  /// Both outlive this.
  CaptureSource(const CaptureReader& capture, const LaunchInfo& launch)
      : capture_(capture), launch_(launch) {}
  [[nodiscard]] const LaunchInfo& launch() const override { return launch_; }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override {
    return capture_.groups(launch_.id);
  }
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override {
    return capture_.read(launch_.id, group);
  }
  [[nodiscard]] SharedGroup read(WorkGroupId group, FormMemory& memory) const override {
    return capture_.read(launch_.id, group, memory);
  }
  [[nodiscard]] std::optional<MachineCode> machine_code() const override {
    return capture_.machine_code(launch_.id);
  }

 private:
  const CaptureReader& capture_;
  const LaunchInfo& launch_;
};

}  // namespace warpscope
