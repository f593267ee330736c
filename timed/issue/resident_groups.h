#pragma once
// The work-groups of a core: slots, what is left of each work-group, and those that the core starts by itself.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "scheduler/replay/warp_replay.h"
#include "timed/config/config.h"

namespace warpscope::timed {

/// Work-group slots that became free, for the dispatcher.
struct FreedSlot {
  Cycle time = 0;
  WorkGroupId finished;
};

class ResidentGroups {
 public:
  /// `interleave`: warp w of slot s has number w · slots + s on the core, else s · warps of a work-group + w.
  ResidentGroups(std::uint32_t slots, std::uint32_t warps_per_group, bool interleave)
      : slots_(slots),
        warps_per_group_(warps_per_group),
        slot_step_(interleave ? 1 : warps_per_group),
        warp_step_(interleave ? slots : 1),
        free_(slots) {}

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] bool empty() const { return free_ == slots_.size(); }
  [[nodiscard]] std::uint32_t warps_per_group() const { return warps_per_group_; }
  [[nodiscard]] std::size_t most_warps() const { return slots_.size() * warps_per_group_; }
  /// Number on the core of warp `warp` of the work-group in `slot`.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t slot, std::uint32_t warp) const {
    return slot * slot_step_ + warp * warp_step_;
  }

  /// Keeps the first free slot, which exists, for a work-group that is to start; returns the slot.
  std::uint32_t reserve() {
    std::uint32_t slot = 0;
    while (slots_[slot].taken) ++slot;
    slots_[slot].taken = true;
    --free_;
    return slot;
  }
  /// The work-group for which `slot` is kept starts.
  void start(std::uint32_t slot, std::unique_ptr<GroupReplay> group) {
    slots_[slot] = {std::move(group), true, warps_per_group_, 0};
    warps_ += warps_per_group_;
  }
  [[nodiscard]] GroupReplay* group(std::uint32_t slot) const { return slots_[slot].group.get(); }
  /// A warp of the slot ended in cycle `now`; with the last one the slot is free.
  void warp_ended(std::uint32_t slot, Cycle now) {
    --warps_;
    finished_at_ = now + 1;
    if (--slots_[slot].unfinished != 0) return;
    freed_.push_back({now, slots_[slot].group->group()});
    slots_[slot] = {};
    ++free_;
  }
  void arrive_at_barrier(std::uint32_t slot) { ++slots_[slot].at_barrier; }
  /// Whether a barrier of the slot opens, as every unfinished warp has arrived at it; then none is there.
  [[nodiscard]] bool open_barrier(std::uint32_t slot) {
    Slot& place = slots_[slot];
    if (place.at_barrier == 0 || place.at_barrier != place.unfinished) return false;
    place.at_barrier = 0;
    return true;
  }

  /// Work-groups that take free slots in this order.
  void set_own(std::vector<WorkGroupId> groups) { own_ = std::move(groups); }
  [[nodiscard]] bool has_next_own() const { return free_ != 0 && next_own_ < own_.size(); }
  [[nodiscard]] WorkGroupId take_next_own() { return own_[next_own_++]; }

  std::vector<FreedSlot>& freed() { return freed_; }
  /// Warps that have started and not ended.
  [[nodiscard]] std::uint32_t warps() const { return warps_; }
  /// The cycle after the last one in which a warp ended.
  [[nodiscard]] Cycle finished_at() const { return finished_at_; }

 private:
  struct Slot {
    std::unique_ptr<GroupReplay> group;
    bool taken = false;
    std::uint32_t unfinished = 0, at_barrier = 0;  ///< warps
  };
  std::vector<Slot> slots_;
  std::uint32_t warps_per_group_, slot_step_, warp_step_;
  std::uint32_t free_, warps_ = 0;
  Cycle finished_at_ = 0;
  std::vector<WorkGroupId> own_;
  std::size_t next_own_ = 0;
  std::vector<FreedSlot> freed_;
};

}  // namespace warpscope::timed
