#pragma once
// A value over time in a bounded number of points: neighbours merge when there are too many.
#include <cstdint>
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
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  void halve() {
    for (std::size_t i = 0; i < kMost / 2; ++i)
      spans_[i] = {spans_[2 * i].cycles + spans_[2 * i + 1].cycles,
                   spans_[2 * i].warp_cycles + spans_[2 * i + 1].warp_cycles};
    spans_.resize(kMost / 2);
    width_ *= 2;
  }
  std::vector<Span> spans_;
  Cycle width_ = 1;
};

}  // namespace warpscope::timed
