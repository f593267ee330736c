#pragma once
// What is wrong within one work-group; its accesses to global memory also go to the races between groups.
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "traces/faults/faults.h"
#include "traces/faults/launch_races.h"
#include "traces/faults/unwritten_reads.h"
#include "traces/races/group_events.h"
#include "traces/races/shadow.h"

namespace warpscope {

/// Faults of one work-item at one site; the first of them, and how many.
struct SiteFault {
  std::uint64_t times = 0;
  WorkItemId item;
  BufferAddr where;
};

class GroupFaults final : public GroupEvents {
 public:
  /// What is the same for all work-groups of a launch; all of it outlives this. `spaces[id]`: the address space of the buffer of this id.
  /// `knows_writes`: whether the capture has all writes to local memory. `unwritten`: null in a second pass.
  struct Launch {
    const KernelInfo& kernel;
    const RacePlan& plan;
    std::uint32_t warp_size;
    const std::vector<AddressSpace>& spaces;
    bool knows_writes;
    LaunchRaces& races;
    UnwrittenReads* unwritten;
  };
  GroupFaults(const Launch& launch, std::uint32_t work_items);

  void next_interval(bool whole_grid) override;
  void arrive(std::uint32_t warp, std::uint32_t barrier) override {
    shadow_.group_clock().arrive(warp, barrier);
  }
  void meet_warps(const std::vector<std::uint32_t>& warps, std::uint32_t barrier) override;
  void begin_warp(std::uint32_t warp, std::uint32_t lanes) override;
  void meet(LaneMask set) override { shadow_.clock().meet(set); }
  void access(std::uint32_t site, std::uint32_t lane, BufferAddr where) override;
  void fence(std::uint32_t lane) override { launch_.races.fence(position(lane)); }
  void barrier_apart(const BarrierApart& how) override;
  void meeting_apart(LaneMask waiting, bool ended) override;

  struct AtSite {
    FaultCode code;
    std::uint32_t site;  ///< of the plan
    auto operator<=>(const AtSite&) const = default;
  };
  [[nodiscard]] const std::map<AtSite, SiteFault>& at_sites() const { return at_sites_; }
  [[nodiscard]] const std::map<RacePair, RaceExample>& races() const { return shadow_.found(); }
  [[nodiscard]] const std::vector<BarrierApart>& barriers() const { return barriers_; }
  /// The first lane that waited for others of a mask that did not come: which are elsewhere, or had all ended.
  [[nodiscard]] std::optional<WorkItemId> mask() const { return mask_; }
  [[nodiscard]] std::optional<WorkItemId> mask_of_ended() const { return mask_of_ended_; }
  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
  /// Some access is of two arrays at once, so that not all writes are known by array.
  [[nodiscard]] bool spans_arrays() const { return spans_arrays_; }

 private:
  Position position(std::uint32_t lane);
  void note_unwritten();
  [[nodiscard]] std::uint32_t needed_alignment(std::uint32_t site) const;
  void access_local(std::uint32_t site, std::uint32_t lane, BufferAddr where);
  void note(FaultCode code, std::uint32_t site, std::uint32_t item, BufferAddr where);

  /// A load of bytes that nobody has written before; whether somebody does so in the same interval is known at its end.
  struct Unwritten {
    std::uint64_t cell;
    std::uint32_t site, item;
    BufferAddr where;
  };

  const Launch launch_;
  Shadow shadow_;
  std::uint32_t warp_ = 0;
  Position now_;
  std::vector<std::uint32_t> steps_;  ///< by work-item
  /// Cells of local memory that have been stored to, and by which work-item first; those that atomics have changed.
  std::unordered_map<std::uint64_t, std::uint32_t> written_;
  std::unordered_set<std::uint64_t> updated_;
  std::vector<Unwritten> unwritten_;
  std::map<AtSite, SiteFault> at_sites_;
  std::vector<BarrierApart> barriers_;
  std::optional<WorkItemId> mask_, mask_of_ended_;
  std::uint64_t accesses_ = 0;
  bool spans_arrays_ = false;
};

}  // namespace warpscope
