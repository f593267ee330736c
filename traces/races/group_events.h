#pragma once
// What a walk through a work-group tells whoever looks for faults in it.
#include <cstdint>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

class GroupEvents {
 public:
  /// A barrier at which some wait and others do not.
  struct BarrierApart {
    SiteId waits_at;          ///< the barrier of the first that waits
    SiteId others_at;         ///< the other barrier, if others wait at one; the same where they have ended
    WorkItemId waits, other;  ///< one of each
    bool has_ended = false;   ///< the others have ended
  };

  virtual ~GroupEvents() = default;
  /// A barrier of the work-group (`whole_grid`: of the launch), or the end: what was before is ordered.
  virtual void next_interval(bool whole_grid) = 0;
  /// A warp comes to a barrier of a part of the work-group: what it did is ordered for those who go on there.
  virtual void arrive(std::uint32_t /*warp*/, std::uint32_t /*barrier*/) {}
  /// All that a barrier waits for have come to it, and these warps go on.
  virtual void meet_warps(const std::vector<std::uint32_t>& /*warps*/, std::uint32_t /*barrier*/) {}
  /// The accesses of another warp follow.
  virtual void begin_warp(std::uint32_t warp, std::uint32_t lanes) = 0;
  /// The lanes of `set` have waited for each other.
  virtual void meet(LaneMask set) = 0;
  virtual void access(std::uint32_t site, std::uint32_t lane, BufferAddr where) = 0;
  /// What the lane did before is ordered for those who learn of what it does next.
  virtual void fence(std::uint32_t /*lane*/) {}
  virtual void barrier_apart(const BarrierApart& /*how*/) {}
  /// Lanes that wait for others of a mask that do not come; `ended`: all of those have ended.
  virtual void meeting_apart(LaneMask /*waiting*/, bool /*ended*/) {}
};

}  // namespace warpscope
