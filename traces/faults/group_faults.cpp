#include "traces/faults/group_faults.h"

#include <algorithm>
#include <bit>

namespace warpscope {

GroupFaults::GroupFaults(const Launch& launch, std::uint32_t work_items)
    : launch_(launch), shadow_(launch.plan, launch.warp_size), steps_(work_items) {}

void GroupFaults::next_interval(bool whole_grid) {
  shadow_.next_interval();
  ++now_.interval;
  if (whole_grid) ++now_.phase;
  note_unwritten();
}

/// As a barrier of all for who else is in order: other work-groups see what is ordered by part of a work-group as ordered by all of it.
void GroupFaults::meet_warps(const std::vector<std::uint32_t>& warps, std::uint32_t barrier) {
  shadow_.group_clock().meet(warps, barrier);
  ++now_.interval;
  note_unwritten();
}

void GroupFaults::note_unwritten() {
  for (const Unwritten& load : unwritten_) {
    // Who wrote it in the same interval did so later; another one raced with the load, which is said elsewhere.
    const auto writer = written_.find(load.cell);
    if (writer == written_.end() || writer->second == load.item)
      note(FaultCode::Uninitialised, load.site, load.item, load.where);
  }
  unwritten_.clear();
}

void GroupFaults::begin_warp(std::uint32_t warp, std::uint32_t lanes) {
  warp_ = warp;
  shadow_.begin_warp(warp, lanes);
}

Position GroupFaults::position(std::uint32_t lane) {
  Position at = now_;
  at.item = warp_ * launch_.warp_size + lane;
  at.step = steps_[at.item]++;
  return at;
}

void GroupFaults::note(FaultCode code, std::uint32_t site, std::uint32_t item, BufferAddr where) {
  const auto [entry, is_new] = at_sites_.try_emplace({code, site}, SiteFault{0, WorkItemId(item), where});
  ++entry->second.times;
}

/// What a GPU needs: no more than the access is wide, whatever else is known of its address.
std::uint32_t GroupFaults::needed_alignment(std::uint32_t site) const {
  const SiteInfo& info = launch_.kernel.sites[launch_.plan.sites[site].id.value()];
  return std::min(info.alignment, info.width & -info.width);
}

void GroupFaults::access(std::uint32_t site, std::uint32_t lane, BufferAddr where) {
  ++accesses_;
  const std::uint32_t item = warp_ * launch_.warp_size + lane;
  const std::uint32_t buffer = where.buffer().value();
  if (buffer == 0 || buffer >= launch_.spaces.size()) {
    // Machine code outside of what it was given has been stopped: what is left spans two arrays, as wide accesses to shared memory may.
    if (!launch_.kernel.machine_code.empty()) {
      spans_arrays_ = true;
      return;
    }
    note(FaultCode::OutOfBounds, site, item, where);
    return;
  }
  if (where.offset() % needed_alignment(site) != 0) {
    note(FaultCode::Misaligned, site, item, where);
    return;
  }
  if (launch_.spaces[buffer] == AddressSpace::Local) {
    access_local(site, lane, where);
  } else if (launch_.spaces[buffer] != AddressSpace::Private) {
    const Position at = position(lane);
    if (launch_.unwritten != nullptr) launch_.unwritten->access(site, where, at);
    if (launch_.spaces[buffer] != AddressSpace::Global) return;
    if (launch_.plan.not_checked.empty()) shadow_.access(site, lane, where);
    launch_.races.access(site, where, at);
  }
}

void GroupFaults::access_local(std::uint32_t site, std::uint32_t lane, BufferAddr where) {
  if (launch_.plan.not_checked.empty()) shadow_.access(site, lane, where);
  if (!launch_.knows_writes) return;
  const RacePlan::Site& info = launch_.plan.sites[site];
  const bool loads = info.kind == RaceKind::Load || info.kind == RaceKind::VolatileLoad;
  const std::uint64_t first = where.key() / launch_.plan.granule;
  const std::uint64_t end = (where.key() + info.width + launch_.plan.granule - 1) / launch_.plan.granule;
  for (std::uint64_t cell = first; cell < end; ++cell) {
    if (info.kind == RaceKind::Store) {
      written_.try_emplace(cell, warp_ * launch_.warp_size + lane);
      continue;
    }
    if (written_.count(cell) == 0 && updated_.count(cell) == 0) {
      unwritten_.push_back({cell, site, warp_ * launch_.warp_size + lane, where});
      if (loads) return;  // one fault of an access
    }
    if (!loads) updated_.insert(cell);
  }
}

void GroupFaults::barrier_apart(const BarrierApart& how) {
  for (const BarrierApart& known : barriers_) {
    if (known.waits_at == how.waits_at && known.others_at == how.others_at) return;
  }
  barriers_.push_back(how);
}

void GroupFaults::meeting_apart(LaneMask waiting, bool ended) {
  std::optional<WorkItemId>& first = ended ? mask_of_ended_ : mask_;
  if (!first)
    first = WorkItemId(warp_ * launch_.warp_size + static_cast<std::uint32_t>(std::countr_zero(waiting)));
}

}  // namespace warpscope
