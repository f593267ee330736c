#pragma once
// Whose transaction it is, for reuse by whom.
#include <array>
#include <cstdint>

#include "traces/base/types.h"

namespace warpscope {

/// The lanes of a warp that one transaction serves.
struct Toucher {
  WorkGroupId group;
  WarpId warp;  ///< inside the group
  LaneMask lanes = 0;
  bool operator==(const Toucher&) const = default;
};

/// Who touched a line before, seen from who touches it now.
enum class Whom : std::uint8_t { SameLane, SameWarp, SameWorkGroup, OtherWorkGroup };
constexpr std::size_t kWhoms = 4;
/// Names of the counters, by Whom.
constexpr std::array<const char*, kWhoms> kWhomNames = {"same_lane", "same_warp", "same_work_group",
                                                        "other_work_group"};

/// The nearest that holds: some lane served both times; another lane of the same warp; another warp of the
/// same work-group; another work-group.
constexpr Whom whom(const Toucher& now, const Toucher& before) {
  if (now.group != before.group) return Whom::OtherWorkGroup;
  if (now.warp != before.warp) return Whom::SameWorkGroup;
  return (now.lanes & before.lanes) != 0 ? Whom::SameLane : Whom::SameWarp;
}

}  // namespace warpscope
