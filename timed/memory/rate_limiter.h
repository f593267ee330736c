#pragma once
// A port that moves so many bytes per cycle, first come, first served.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "timed/config/config.h"

namespace warpscope::timed {

class RateLimiter {
 public:
  RateLimiter() = default;
  /// 0 = no limit. Kept to 1/256 byte.
  explicit RateLimiter(double bytes_per_cycle)
      : rate_(static_cast<std::uint64_t>(std::llround(bytes_per_cycle * kUnits))) {
    if (bytes_per_cycle > 0 && rate_ == 0) rate_ = 1;
  }
  /// The cycle in which `bytes` that come at `now` start to move. They keep the port for `least` cycles at least.
  Cycle take(Cycle now, std::uint64_t bytes, Cycle least = 0) {
    if (rate_ == 0) return now;
    const std::uint64_t start = std::max(now * rate_, free_);
    free_ = start + std::max(bytes * kUnits, least * rate_);
    return start / rate_;
  }
  /// The first cycle in which something can start to move.
  [[nodiscard]] Cycle free_at() const { return rate_ == 0 ? 0 : free_ / rate_; }
  /// free_at() <= `cycle`, without a division.
  [[nodiscard]] bool is_free(Cycle cycle) const { return rate_ == 0 || free_ < (cycle + 1) * rate_; }

 private:
  static constexpr int kUnits = 256;
  std::uint64_t rate_ = 0,
                free_ = 0;  ///< units of 1/256 byte; free_ counts those that could have moved since cycle 0
};

}  // namespace warpscope::timed
