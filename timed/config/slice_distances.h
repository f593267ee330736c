#pragma once
// Slices of an L2 are nearer to a core and farther from it. What is known is how the latencies of many loads spread, not which slice is
// where: each core has every distance once, from slices that differ from core to core.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warpscope::timed {

class SliceDistances {
 public:
  /// Of `slices` (1 or more) that a core asks. A tenth of loads take `below` cycles less than the median (or less still), a tenth `above`
  /// more; between these, the median and as far again outside, the latencies are evenly spread.
  SliceDistances(std::uint32_t slices, std::uint32_t below, std::uint32_t above)
      : step_(coprime(slices, 0.618)), step_of_core_(coprime(slices, 0.755)), cycles_(slices) {
    for (std::uint32_t rank = 0; rank < slices; ++rank) {
      const double from_median = (rank + 0.5) / slices - 0.5;
      cycles_[rank] =
          static_cast<std::int32_t>(std::lround(from_median / 0.4 * (from_median < 0 ? below : above)));
    }
  }
  /// Cycles more than the median; negative: fewer, at most most_below().
  [[nodiscard]] std::int32_t of(std::uint32_t core, std::uint32_t slice) const {
    const auto slices = static_cast<std::uint32_t>(cycles_.size());
    return cycles_[(slice % slices * step_ + core * step_of_core_) % slices];
  }
  /// No slice is nearer than so many cycles below the median.
  static std::uint32_t most_below(std::uint32_t below) { return below + (below + 3) / 4; }

 private:
  /// About this part of `slices`, and without a common divisor.
  static std::uint64_t coprime(std::uint32_t slices, double part) {
    auto step = static_cast<std::uint64_t>(std::lround(slices * part));
    while (std::gcd(step, std::uint64_t{slices}) != 1) ++step;
    return step;
  }

  std::uint64_t step_, step_of_core_;
  std::vector<std::int32_t> cycles_;  ///< indexed by rank, ascending
};

}  // namespace warpscope::timed
