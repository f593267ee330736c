#include "timed/issue/issue_stage.h"

#include <algorithm>

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
      pauses_(kPauses * config.schedulers),
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
  scheduler.age[arriving.place] = arrivals_++;
  scheduler.group[arriving.place] = group;
  scheduler.present |= bit;
  scheduler.served_by[unit] |= bit;
}

void IssueStage::leave(std::uint32_t warp) {
  resume(warp);
  Warp& leaving = warps_[warp];
  leaving.state = WarpState::Absent;
  Scheduler& scheduler = schedulers_[leaving.scheduler];
  const PlaceMask bit = PlaceMask{1} << leaving.place;
  scheduler.present &= ~bit;
  scheduler.served_by[leaving.load_store_unit] &= ~bit;
}

}  // namespace warpscope::timed
