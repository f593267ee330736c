#pragma once
// The cycles of the warps of a core, each under what the warp did in it, and under the instruction at which it was: the next that it issues, at a
// barrier and at its end the last that it did, as Nsight Compute's sampler finds them. Every warp has a cycle up to which it is accounted for.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/replay/prefetch.h"
#include "timed/config/config.h"
#include "timed/issue/warp_stalls.h"

namespace warpscope::timed {

class WarpCycles {
 public:
  /// `counts` and `by_instruction`, which has one for every instruction, outlive this.
  WarpCycles(std::size_t warps, WarpStallCounts& counts, std::vector<WarpStallCounts>& by_instruction)
      : warps_(warps), counts_(counts), by_instruction_(by_instruction) {}

  void prefetch() const { prefetch_lines(warps_); }
  /// A warp starts, in cycle `now`; it cannot issue before `earliest`.
  void start(std::uint32_t warp, Cycle now) { warps_[warp] = {now, 0}; }
  /// At `instruction` it waits up to cycle `from` for what the stall of the one before says, if it is not later already.
  void stall_until(std::uint32_t warp, std::uint32_t instruction, Cycle from) {
    account(warp, instruction, WarpStall::Wait, from);
  }
  /// It waited for something else up to cycle `now`.
  void waited(std::uint32_t warp, std::uint32_t instruction, WarpStall why, Cycle now) {
    account(warp, instruction, why, now);
  }
  /// It can issue from cycle `now` on. `busy`: how long its unit has been busy by then.
  void ready(std::uint32_t warp, std::uint32_t instruction, Cycle now, Cycle busy) {
    account(warp, instruction, WarpStall::Wait, now);
    warps_[warp].busy = busy;
  }
  /// It issues in cycle `now`; `busy` as of ready(), `throttle`: what it is called that its unit was busy.
  void issued(std::uint32_t warp, std::uint32_t instruction, Cycle now, Cycle busy, WarpStall throttle) {
    chosen(warp, instruction, now, busy, throttle);
    count(instruction, WarpStall::Selected, 1);
    warps_[warp].accounted = now + 1;
  }
  /// The same of a warp that is chosen in cycle `now` and cannot issue; the cycle itself is not counted.
  void chosen(std::uint32_t warp, std::uint32_t instruction, Cycle now, Cycle busy, WarpStall throttle) {
    Warp& one = warps_[warp];
    // Additions of 0 rather than branches, which the host cannot predict.
    const Cycle waited = now - std::min(now, one.accounted);
    const auto more_busy = static_cast<std::int64_t>(busy - one.busy);
    const Cycle throttled = std::min(waited, static_cast<Cycle>(std::max(more_busy, std::int64_t{0})));
    count(instruction, throttle, throttled);
    count(instruction, WarpStall::NotSelected, waited - throttled);
    one.accounted = std::max(one.accounted, now);
  }

 private:
  struct Warp {
    Cycle accounted = 0, busy = 0;
  };
  void account(std::uint32_t warp, std::uint32_t instruction, WarpStall why, Cycle until) {
    Warp& one = warps_[warp];
    if (until <= one.accounted) return;
    count(instruction, why, until - one.accounted);
    one.accounted = until;
  }
  void count(std::uint32_t instruction, WarpStall why, Cycle cycles) {
    counts_[static_cast<std::size_t>(why)] += cycles;
    by_instruction_[instruction][static_cast<std::size_t>(why)] += cycles;
  }

  std::vector<Warp> warps_;
  WarpStallCounts& counts_;
  std::vector<WarpStallCounts>& by_instruction_;
};

}  // namespace warpscope::timed
