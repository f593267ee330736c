#include "timed/issue/issue_stage.h"

#include <algorithm>
#include <bit>

namespace warpscope::timed {

const char* name_of(StallReason reason) {
  constexpr std::array<const char*, kStallReasons> kNames = {
      "load_store_full", "unit_busy", "dependency", "memory", "barrier", "empty", "held_back"};
  return kNames[static_cast<std::size_t>(reason)];
}

const char* name_of(WarpStall stall) {
  constexpr std::array<const char*, kWarpStalls> kNames = {
      "selected",           "not_selected", "wait",        "long_scoreboard", "short_scoreboard", "barrier",
      "math_pipe_throttle", "mio_throttle", "lg_throttle", "branch_resolve",  "no_instruction",   "imc_miss",
      "dispatch_stall",     "drain"};
  return kNames[static_cast<std::size_t>(stall)];
}

IssueStage::IssueStage(const IssueConfig& config, std::size_t warps)
    : count_(config.schedulers),
      schedulers_(config.schedulers),
      words_(static_cast<std::uint32_t>((warps + 63) / 64)),
      pauses_(kPauses * words_),
      warps_(warps) {
  for (std::uint32_t w = 0; w < warps; ++w) {
    warps_[w].scheduler = static_cast<std::uint16_t>(w % config.schedulers);
    warps_[w].place = static_cast<std::uint8_t>(w / config.schedulers);
  }
}

void IssueStage::arrive(std::uint32_t warp, std::size_t unit, std::uint64_t group) {
  Warp& arriving = warps_[warp];
  arriving.state = WarpState::Ready;
  arriving.load_store_unit = static_cast<std::uint8_t>(unit);
  Scheduler& scheduler = schedulers_[arriving.scheduler];
  const PlaceMask bit = PlaceMask{1} << arriving.place;
  changed_ |= 1u << arriving.scheduler;
  scheduler.age[arriving.place] = arrivals_++;
  scheduler.group[arriving.place] = group;
  scheduler.present |= bit;
  join(scheduler, arriving.place);
  scheduler.served_by[unit] |= bit;
}

/// The work-group of the warp that takes `place` is the youngest.
void IssueStage::join(Scheduler& of, std::uint32_t place) {
  const PlaceMask bit = PlaceMask{1} << place;
  PlaceMask same = 0;
  for (PlaceMask left = of.present; left != 0; left &= left - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(left));
    of.older[other] &= ~bit;  // of who was there before
    of.same[other] &= ~bit;
    if (of.group[other] == of.group[place]) same |= PlaceMask{1} << other;
  }
  for (PlaceMask left = same; left != 0; left &= left - 1)
    of.same[static_cast<std::size_t>(std::countr_zero(left))] |= bit;
  of.same[place] = same;
  of.older[place] = of.present & ~same;
}

void IssueStage::occupy_several(Scheduler& of, const MachineOp& op, Cycle now) {
  const Cycle until = now + op.interval;
  switch (op.occupies) {
    case MachineOp::Occupies::Unit:
      return occupy(of, op.unit, until, now);
    case MachineOp::Occupies::Port:
      for (const Unit one : {Unit::Double, Unit::Half, Unit::Tensor})
        occupy(of, one, one == op.unit ? until : now + kPortCycles, now);
      return;
    case MachineOp::Occupies::FmaPipe:
      if (op.unit == Unit::Heavy || of.light_free > now)
        occupy(of, Unit::Heavy, until, now);
      else
        of.light_free = until;
      return occupy(of, Unit::Float, std::min(of.unit_free[index(Unit::Heavy)], of.light_free), now);
    case MachineOp::Occupies::FmaPipes:
      of.light_free = until;
      for (const Unit one : {Unit::Half, Unit::Heavy, Unit::Float}) occupy(of, one, until, now);
  }
}

void IssueStage::leave(std::uint32_t warp) {
  resume(warp);
  Warp& leaving = warps_[warp];
  leaving.state = WarpState::Absent;
  Scheduler& scheduler = schedulers_[leaving.scheduler];
  const PlaceMask bit = PlaceMask{1} << leaving.place;
  scheduler.present &= ~bit;
  changed_ |= 1u << leaving.scheduler;
  scheduler.served_by[leaving.load_store_unit] &= ~bit;
}

}  // namespace warpscope::timed
