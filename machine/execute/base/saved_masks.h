#pragma once
// What lanes hold of a convergence barrier in a register, while they are in a function that uses the barrier itself.
#include <cstdint>
#include <vector>

#include "machine/execute/base/lane_values.h"

namespace warpscope::machine {

/// Masks of a warp's convergence barriers that BMOV has put into registers. Others may be taken out of such a mask meanwhile: the lanes
/// would wait for them when they have come back from the function, although these are gone. All masks are without lanes that have exited.
class SavedMasks {
 public:
  /// The lanes copy the mask that is their `barrier` to a register.
  void save(std::uint8_t barrier, LaneSet mask, LaneSet lanes) {
    if (mask == 0) return;
    // A function that saves and does not restore is no compiler's.
    if (saved_.size() == kMost) saved_.erase(saved_.begin());
    saved_.push_back({barrier, lanes, mask, mask});
  }

  /// `out` were taken out of all masks of the barrier that are `mask`.
  void take_out(std::uint8_t barrier, LaneSet mask, LaneSet out, LaneSet exited) {
    for (One& one : saved_)
      if (one.barrier == barrier && (one.now & ~exited) == mask) one.now &= ~out;
  }

  /// What the barrier of a lane is that copies `value` back to it.
  [[nodiscard]] LaneSet restore(std::uint8_t barrier, LaneSet value, unsigned lane, LaneSet exited) {
    for (std::size_t at = saved_.size(); at-- > 0;) {
      One& one = saved_[at];
      if (one.barrier != barrier || (one.lanes >> lane & 1) == 0 || ((one.was ^ value) & ~exited) != 0)
        continue;
      const LaneSet now = one.now;
      one.lanes &= ~(LaneSet{1} << lane);
      if (one.lanes == 0) saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(at));
      return now;
    }
    return value;
  }

 private:
  struct One {
    std::uint8_t barrier;
    LaneSet lanes, was, now;
  };
  static constexpr std::size_t kMost = 1024;
  std::vector<One> saved_;
};

}  // namespace warpscope::machine
