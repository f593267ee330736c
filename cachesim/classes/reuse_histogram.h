#pragma once
// Reuse distances by load and store, in bins that are exact up to 15, then powers of two, cut at the cache's
// capacity.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cachesim/classes/reuse_distance.h"

namespace warpscope {

class ReuseHistogram {
 public:
  struct Bin {
    std::uint64_t from = 0, to = 0;  ///< inclusive, distinct lines
    std::uint64_t loads = 0, stores = 0;
  };
  explicit ReuseHistogram(std::uint64_t capacity_lines = 1) : capacity_(capacity_lines) {}
  void add(std::uint64_t distance, bool is_store) {
    ++(distance == ReuseDistance::kCold ? cold_ : counts_[bin_of(distance)])[is_store ? 1 : 0];
  }
  ReuseHistogram& operator+=(const ReuseHistogram& other);
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t cold_loads() const { return cold_[0]; }
  [[nodiscard]] std::uint64_t cold_stores() const { return cold_[1]; }
  /// From distance 0 to the last bin that is not empty.
  [[nodiscard]] std::vector<Bin> bins() const;

 private:
  using Pair = std::array<std::uint64_t, 2>;  // loads, stores
  static constexpr std::size_t kExact = 16;   // distances below have a bin each
  [[nodiscard]] std::size_t bin_of(std::uint64_t distance) const {
    if (distance < kExact) return distance;
    const auto width = static_cast<std::size_t>(std::bit_width(distance));
    const bool beyond = width == static_cast<std::size_t>(std::bit_width(capacity_)) && distance >= capacity_;
    return kExact + 2 * (width - 5) + std::size_t{beyond};
  }
  std::uint64_t capacity_;
  Pair cold_{};
  std::array<Pair, kExact + 2 * 60> counts_{};
};

}  // namespace warpscope
