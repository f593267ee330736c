#pragma once
// Walks through one work-group for its race check: warp by warp from barrier to barrier, and in a warp from meeting to
// meeting.
#include <cstdint>
#include <vector>

#include "traces/capture/walk.h"
#include "traces/program/capture.h"
#include "traces/races/shadow.h"

namespace warpscope {

class GroupWalk {
 public:
  /// All outlive this. `is_local[id]`: whether the buffer of this id is local memory.
  GroupWalk(const KernelInfo& kernel, const RacePlan& plan, const WorkGroupTrace& trace,
            const std::vector<bool>& is_local, std::uint32_t warp_size, Shadow& shadow);
  /// Gives the accesses to the shadow. A step is a block that a work-item enters or an access that it makes; after `most`
  /// it ends. Returns the steps made; more than `most` if it did not come to the end. Throws InputError where the trace
  /// does not fit the kernel.
  std::uint64_t run(std::uint64_t most);

 private:
  enum class State : std::uint8_t { Running, AtMeeting, AtBarrier, Ended };
  struct Item {
    PathWalker walk;
    std::vector<LocationCursor> cursors;  ///< indexed by site of the plan
    std::uint32_t event = 0;              ///< next of its block
    State state = State::Running;
    LaneMask mask = 0;  ///< mask of the current meeting
  };

  void start(const KernelInfo& kernel, const WorkGroupTrace& trace, WorkItemId id);
  void run_warp(std::uint32_t first, std::uint32_t lanes);
  void run_item(Item& item, std::uint32_t lane);
  void access(Item& item, std::uint32_t lane, std::uint32_t site);
  void release(Item* warp, std::uint32_t lanes);
  static LaneMask those(const Item* warp, std::uint32_t lanes, State state);
  static LaneMask complete_mask(const Item* warp, std::uint32_t lanes);
  static LaneMask earliest(const Item* warp, LaneMask of);

  const RacePlan& plan_;
  const std::vector<bool>& is_local_;
  std::uint32_t warp_size_;
  Shadow& shadow_;
  std::vector<Item> items_;
  std::uint64_t steps_ = 0, most_ = 0;
};

}  // namespace warpscope
