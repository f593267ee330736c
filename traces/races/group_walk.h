#pragma once
// Walks through one work-group: warp by warp from barrier to barrier, and in a warp from meeting to meeting.
#include <array>
#include <cstdint>
#include <vector>

#include "traces/capture/walk.h"
#include "traces/program/capture.h"
#include "traces/races/group_events.h"
#include "traces/races/race_plan.h"

namespace warpscope {

/// Work-items of a group times sites; a larger group is left out, for the memory.
constexpr std::uint64_t kMostCursors = 1u << 23;

class GroupWalk {
 public:
  /// All outlive this.
  GroupWalk(const KernelInfo& kernel, const RacePlan& plan, const WorkGroupTrace& trace,
            std::uint32_t warp_size, GroupEvents& events);
  /// Tells the events. A step is a block that a work-item enters or an access that it makes; after `most`
  /// it ends. Returns the steps made; more than `most` if it did not come to the end. Throws InputError where the trace
  /// does not fit the kernel.
  std::uint64_t run(std::uint64_t most);

 private:
  enum class State : std::uint8_t { Running, AtMeeting, AtBarrier, Ended };
  struct Item {
    PathWalker walk;
    std::vector<LocationCursor> cursors;  ///< indexed by site of the plan
    std::uint32_t event = 0;              ///< next of its block
    std::uint32_t barrier = 0;            ///< index of the one that it is at, as in RacePlan::Event
    State state = State::Running;
    LaneMask mask = 0;  ///< mask of the current meeting
  };

  void start(const KernelInfo& kernel, const WorkGroupTrace& trace, WorkItemId id);
  void run_warp(std::uint32_t first, std::uint32_t lanes);
  void run_item(Item& item, std::uint32_t lane);
  void access(Item& item, std::uint32_t lane, std::uint32_t site);
  void release(Item* warp, std::uint32_t lanes);
  bool pass_barrier();
  bool pass_arrivals(Item* warp, std::uint32_t lanes, std::uint32_t number);
  bool pass_named();
  bool pass_named(std::uint32_t number);
  [[nodiscard]] NamedBarrier barrier_of(const Item& item) const;
  static LaneMask those(const Item* warp, std::uint32_t lanes, State state);
  static LaneMask complete_mask(const Item* warp, std::uint32_t lanes);
  static LaneMask earliest(const Item* warp, LaneMask of);

  const RacePlan& plan_;
  std::uint32_t warp_size_;
  GroupEvents& events_;
  std::vector<Item> items_;
  std::array<std::uint32_t, kNamedBarriers> arrived_{};  ///< by barrier: warps that came and did not wait
  std::uint64_t steps_ = 0, most_ = 0;
};

}  // namespace warpscope
