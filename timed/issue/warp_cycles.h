#pragma once
// The cycles of the warps of a core, each under what the warp did in it. Every warp has a cycle up to which it is accounted for.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "timed/config/config.h"
#include "timed/issue/warp_stalls.h"

namespace warpscope::timed {

class WarpCycles {
 public:
  /// `counts` outlives this.
  WarpCycles(std::size_t warps, WarpStallCounts& counts) : warps_(warps), counts_(counts) {}

  /// A warp starts, in cycle `now`; it cannot issue before `earliest`.
  void start(std::uint32_t warp, Cycle now) { warps_[warp] = {now, 0}; }
  /// Its last instruction lets the next one issue in cycle `from`, as far as stalls go.
  void stall_until(std::uint32_t warp, Cycle from) { account(warp, WarpStall::Wait, from); }
  /// It waited for something else up to cycle `now`.
  void waited(std::uint32_t warp, WarpStall why, Cycle now) { account(warp, why, now); }
  /// It can issue from cycle `now` on. `busy`: how long its unit has been busy by then.
  void ready(std::uint32_t warp, Cycle now, Cycle busy) {
    account(warp, WarpStall::Wait, now);
    warps_[warp].busy = busy;
  }
  /// It issues in cycle `now`; `busy` as of ready(), `throttle`: what it is called that its unit was busy.
  void issued(std::uint32_t warp, Cycle now, Cycle busy, WarpStall throttle) {
    Warp& one = warps_[warp];
    if (now > one.accounted) {
      account(warp, throttle, std::min(now, one.accounted + (busy - one.busy)));
      account(warp, WarpStall::NotSelected, now);
    }
    ++counts_[static_cast<std::size_t>(WarpStall::Selected)];
    one.accounted = now + 1;
  }

 private:
  struct Warp {
    Cycle accounted = 0, busy = 0;
  };
  void account(std::uint32_t warp, WarpStall why, Cycle until) {
    Warp& one = warps_[warp];
    if (until <= one.accounted) return;
    counts_[static_cast<std::size_t>(why)] += until - one.accounted;
    one.accounted = until;
  }

  std::vector<Warp> warps_;
  WarpStallCounts& counts_;
};

}  // namespace warpscope::timed
