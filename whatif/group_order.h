#pragma once
// Another order in which the work-groups of a launch start.
#include <vector>

#include "traces/base/types.h"
#include "whatif/change.h"

namespace warpscope::whatif {

/// A GPU starts work-groups by their number. The kernel that this stands for computes from it the work-group
/// whose work it does: tile by tile (row by row inside a tile, the tiles row by row), or along a Morton curve
/// (x in the lower bit). What lies outside the launch is left out. Layers of z follow each other.
class GroupOrder {
 public:
  /// `change` is one of ChangeKind::Groups.
  GroupOrder(const Change& change, Dim3 groups);
  /// When the work of `group` is done: the number under which it starts.
  [[nodiscard]] WorkGroupId turn_of(WorkGroupId group) const;

 private:
  std::uint64_t layer_;               ///< work-groups of one z
  std::vector<std::uint32_t> turns_;  ///< turn of each work-group of a layer
};

}  // namespace warpscope::whatif
