#pragma once
// A value over time in a bounded number of points: neighbours merge when there are too many.
#include <cstdint>
#include <utility>
#include <vector>

#include "timed/config/config.h"

namespace warpscope::timed {

class OccupancySeries {
 public:
  static constexpr std::size_t kMost = 256;
  struct Span {
    Cycle cycles = 0;
    std::uint64_t warp_cycles = 0;
  };
  /// The next stretch of time.
  void add(Cycle cycles, std::uint64_t warp_cycles) {
    if (spans_.empty() || spans_.back().cycles >= width_) {
      if (spans_.size() == kMost) halve();
      spans_.push_back({});
    }
    spans_.back().cycles += cycles;
    spans_.back().warp_cycles += warp_cycles;
  }
  /// The next stretch from cycle `from` to `end`, in steps of `step` cycles, whatever it is a part of; then change() in any order, then end().
  void begin(Cycle from, Cycle end, Cycle step) {
    from_ = from;
    step_ = step;
    steps_.assign((end - from) / step, {});
  }
  /// From cycle `at` of the stretch on, or from its end, `more` warps than before.
  void change(Cycle at, std::int64_t more) {
    const std::size_t number = (at - from_) / step_;
    if (number >= steps_.size()) return static_cast<void>(more_later_ += more);
    steps_[number].more += more;
    steps_[number].warp_cycles += more * static_cast<std::int64_t>(from_ + (number + 1) * step_ - at);
  }
  void end() {
    for (const Step& one : steps_) {
      add(step_, static_cast<std::uint64_t>(warps_ * static_cast<std::int64_t>(step_) + one.warp_cycles));
      warps_ += one.more;
    }
    warps_ += std::exchange(more_later_, 0);
  }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  /// Warps that come, and their cycles up to its end.
  struct Step {
    std::int64_t more = 0, warp_cycles = 0;
  };
  void halve() {
    for (std::size_t i = 0; i < kMost / 2; ++i)
      spans_[i] = {spans_[2 * i].cycles + spans_[2 * i + 1].cycles,
                   spans_[2 * i].warp_cycles + spans_[2 * i + 1].warp_cycles};
    spans_.resize(kMost / 2);
    width_ *= 2;
  }
  std::vector<Span> spans_;
  Cycle width_ = 1;
  Cycle from_ = 0, step_ = 1;
  std::vector<Step> steps_;
  std::int64_t warps_ = 0, more_later_ = 0;
};

}  // namespace warpscope::timed
