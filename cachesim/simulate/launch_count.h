#pragma once
// How many launches of a program to simulate.
#include <cstddef>
#include <cstdint>

namespace warpscope {

/// Fewer launches than this are no sample.
constexpr std::uint32_t kLeastSampledLaunches = 6;

/// A number of launches, or a part of all.
struct LaunchCount {
  std::uint32_t number = 0;  ///< kLeastSampledLaunches or more; 0: `percent` says it
  double percent = 0;        ///< percent of the launches, above 0, up to 100
  /// Of `all` launches. A part is at least kLeastSampledLaunches, or all. Throws InputError, which begins with --sample-launches,
  /// where there are fewer than `number`.
  [[nodiscard]] std::size_t of(std::size_t all) const;
};

}  // namespace warpscope
