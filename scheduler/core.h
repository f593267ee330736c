#pragma once
// One core in fixed order: slots for resident work-groups, the ready warps, and one access per turn.
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "scheduler/policies/ready_set.h"
#include "scheduler/policies/registry.h"
#include "scheduler/replay/warp_replay.h"
#include "scheduler/replay/work_group_source.h"
#include "scheduler/self_check.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What the cores of one launch share. Everything pointed to outlives the cores.
struct CoreSetup {
  const WorkGroupSource& source;
  ReplayContext replay;
  const SchedulerInfo& policy;
  SelfCheck* self_check = nullptr;                  ///< null: off
  std::function<void(WorkGroupId)> group_finished;  ///< may be empty
};

class Core {
 public:
  /// `groups` are the core's, in the order in which they start; `slots` (> 0) of them are resident at once.
  Core(const CoreSetup& setup, CoreId id, std::vector<WorkGroupId> groups, std::uint32_t slots,
       std::uint64_t seed);

  /// Lets the policy pick a warp and sends its access to `sink`. False when the core has nothing left.
  bool step(WarpAccessSink& sink);

 private:
  struct Place {
    GroupReplay* group = nullptr;  ///< work-group of the slot; null = free
    std::uint32_t slot = 0;
    WarpId warp;
  };

  void fill(std::uint32_t slot);
  [[nodiscard]] SharedGroup read(WorkGroupId group) const;
  void load(std::uint32_t slot, WorkGroupId group);
  void leave(std::uint32_t slot);
  [[nodiscard]] WarpIndex index_of(std::uint32_t slot, std::uint32_t warp) const;
  void refresh(std::uint32_t slot);
  void prefetch_behind(WarpIndex index) const;

  const CoreSetup& setup_;
  std::vector<WorkGroupId> groups_;
  std::size_t next_group_ = 0;
  std::uint32_t warps_per_group_;
  std::uint32_t slots_;
  bool along_rows_;  ///< work-items are numbered along the rows of the NDRange
  std::vector<std::unique_ptr<GroupReplay>> residents_;  ///< indexed by slot; null = free
  std::vector<Place> places_;                            ///< indexed by WarpIndex
  ReadySet ready_;
  std::unique_ptr<WarpScheduler> policy_;
  WarpAccess access_;
};

}  // namespace warpscope
