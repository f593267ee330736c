#pragma once
// Replays one work-group with warps that are formed while it runs.
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/formation/formation.h"
#include "scheduler/replay/address_replay.h"
#include "traces/program/shared_group.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

/// What all work-groups of a launch share; outlives them.
struct FormedLaunch {
  const ReplayPlan& plan;
  const std::vector<std::uint32_t>& instructions;  ///< indexed by block
  PatternMemory& memory;  ///< memory for as many warps as a work-group has work-items
  Formation formation = Formation::Static;
  std::uint32_t warp_size = 32;
  FormationCounts& counts;
};

class FormedGroup {
 public:
  FormedGroup(const FormedLaunch& launch, WorkGroupTrace trace);
  FormedGroup(const FormedGroup&) = delete;  // cursors point into the group
  FormedGroup& operator=(const FormedGroup&) = delete;

  [[nodiscard]] WorkGroupId group() const { return group_.group; }
  /// Makes the next access: fills all of `out` but the core. Warps take turns, large ones as a whole. The number of a warp is that of
  /// its first work-item's. False when the work-group has ended. Throws InputError when path or addresses end too early or late.
  bool step(WarpAccess& out);

 private:
  /// Work-items that are formed together, and what of them is executing.
  struct Strand {
    std::unique_ptr<WarpFormer> former;
    FormedIssue issue;
    std::uint32_t warp = 0;  ///< warp of the issue whose access comes next
  };

  bool find_access(Strand& strand);
  void make_access(Strand& strand, WarpAccess& out);
  bool release();
  void check_exhausted() const;
  [[noreturn]] void fail(const std::string& what) const;

  FormedLaunch launch_;
  SharedGroup group_;
  AddressReplay addresses_;
  std::vector<PathCursor> paths_;  ///< indexed by work-item
  std::vector<Strand> strands_;
  std::size_t turn_ = 0;
  LanePattern pattern_;  ///< pattern of the access that was given out last
};

}  // namespace warpscope
