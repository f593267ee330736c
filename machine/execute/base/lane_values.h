#pragma once
// A register of a warp: one value of 32 bits per lane. Loops over its lanes are written so that compilers turn them into vector
// instructions; what they compute does not depend on whether they did.
#include <bit>
#include <cstdint>

namespace warpscope::machine {

constexpr unsigned kLanes = 32;
using LaneSet = std::uint32_t;  ///< bit i: lane i
constexpr LaneSet kAllLanes = ~LaneSet{0};

struct alignas(64) LaneValues {
  std::uint32_t lane[kLanes];

  std::uint32_t& operator[](unsigned i) { return lane[i]; }
  const std::uint32_t& operator[](unsigned i) const { return lane[i]; }
};

inline LaneValues same_in_all(std::uint32_t value) {
  LaneValues values;
  for (unsigned i = 0; i < kLanes; ++i) values[i] = value;
  return values;
}

/// Calls f(lane) for the lanes of a set, ascending.
template <class F>
void for_each_lane(LaneSet lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// The same from the last one on.
template <class F>
void for_each_lane_descending(LaneSet lanes, F f) {
  while (lanes != 0) {
    const auto lane = static_cast<unsigned>(std::bit_width(lanes) - 1);
    lanes ^= LaneSet{1} << lane;
    f(lane);
  }
}

/// The values of `from` where the lane is in `lanes`.
inline void blend(LaneValues& into, const LaneValues& from, LaneSet lanes) {
  if (lanes == kAllLanes) {
    into = from;
    return;
  }
  for (unsigned i = 0; i < kLanes; ++i) into[i] = (lanes >> i & 1) != 0 ? from[i] : into[i];
}

/// The lanes whose value is not 0.
inline LaneSet lanes_set(const LaneValues& row) {
  LaneSet lanes = 0;
  for (unsigned i = 0; i < kLanes; ++i) lanes |= static_cast<LaneSet>(row[i] != 0) << i;
  return lanes;
}

inline std::uint64_t pair_of(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

}  // namespace warpscope::machine
