#pragma once
// When a work-item does something, as far as barriers order it.
#include <cstdint>
#include <tuple>

namespace warpscope {

struct Position {
  std::uint32_t phase = 0;     ///< barriers of the whole launch before it
  std::uint32_t interval = 0;  ///< barriers of its work-group before it
  std::uint32_t item = 0;      ///< work-item of the group
  std::uint32_t step = 0;      ///< accesses and fences of the work-item before it
  bool operator==(const Position&) const = default;
};

/// Whether a barrier is between `a` and `b`, both of one work-group, `a` first.
constexpr bool is_earlier_interval(const Position& a, const Position& b) {
  return std::tuple(a.phase, a.interval) < std::tuple(b.phase, b.interval);
}

/// Whether `a` is before `b`, both of one work-group: a barrier is between them, or they are of one work-item.
constexpr bool is_before(const Position& a, const Position& b) {
  return is_earlier_interval(a, b) || (!is_earlier_interval(b, a) && a.item == b.item && a.step < b.step);
}

}  // namespace warpscope
