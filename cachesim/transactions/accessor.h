#pragma once
// Whose transaction it is, for reuse by previous accessor.
#include <array>
#include <cstdint>

#include "traces/base/types.h"

namespace warpscope {

/// The lanes of a warp that one transaction serves.
struct Accessor {
  WorkGroupId group;
  WarpId warp;  ///< number of the warp in its work-group
  LaneMask lanes = 0;
  bool operator==(const Accessor&) const = default;
};

/// The previous accessor of a line, seen from the present one.
enum class PreviousAccessor : std::uint8_t { SameLane, SameWarp, SameWorkGroup, OtherWorkGroup };
constexpr std::size_t kPreviousAccessors = 4;
/// Names of the counters, by PreviousAccessor.
constexpr std::array<const char*, kPreviousAccessors> kPreviousAccessorNames = {
    "same_lane", "same_warp", "same_work_group", "other_work_group"};

/// The nearest that holds: some lane served both times; another lane of the same warp; another warp of the
/// same work-group; another work-group.
constexpr PreviousAccessor previous_accessor(const Accessor& now, const Accessor& before) {
  if (now.group != before.group) return PreviousAccessor::OtherWorkGroup;
  if (now.warp != before.warp) return PreviousAccessor::SameWorkGroup;
  return (now.lanes & before.lanes) != 0 ? PreviousAccessor::SameLane : PreviousAccessor::SameWarp;
}

}  // namespace warpscope
