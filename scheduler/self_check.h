#pragma once
// --self-check: what the replay executes must be what was recorded, for every work-item and every access.
#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/replay/control_flow.h"
#include "scheduler/replay/warp_replay.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// Watches the replay of all resident work-groups.
class SelfCheck final : public ReplayObserver {
 public:
  /// `plan` outlives this.
  SelfCheck(std::uint32_t warp_size, const ReplayPlan& plan) : warp_size_(warp_size), plan_(plan) {}

  /// Before the replay of a work-group is built.
  void begin(const WorkGroupTrace& trace);
  /// When all its warps have ended. Throws InputError that names group, work-item and site unless every site
  /// was executed as often as recorded, in the recorded order and by lanes that were together where the capture has that, and
  /// nothing recorded is left.
  void end(const GroupReplay& replay);

  void block(WorkGroupId group, WarpId warp, BlockId block, LaneMask lanes) override;
  void site(WorkGroupId group, WarpId warp, SiteId site, LaneMask lanes) override;

 private:
  struct State {
    std::uint32_t sites = 0;
    std::vector<std::uint64_t> counts;  ///< [work-item][site]
    std::vector<std::vector<SiteId>> recorded_order;
    std::vector<std::uint64_t> executed;  ///< executed sites of any kind, per work-item
    std::vector<WalkHash> walked;         ///< per warp
  };
  std::uint32_t warp_size_;
  const ReplayPlan& plan_;
  std::map<WorkGroupId, State> states_;
};

}  // namespace warpscope
