#pragma once
// Lets PoCL run only some work-groups of a kernel.
#include <functional>

#include "traces/program/group_selection.h"

namespace warpscope {

/// PoCL runs all work-groups of a launch, and offers no way to leave some out. It finds the function that runs one with
/// dlsym(). While an object of this class lives, what libpocl reaches under that name is a function of ours: for
/// work-groups that are not selected it gives PoCL one that returns at once. At most one at a time.
class SkippedGroups {
 public:
  /// `groups`: of the launch, per dimension. Throws InputError if this PoCL calls dlsym() otherwise.
  SkippedGroups(const GroupSelection& selection, LaunchId launch, Dim3 groups);
  ~SkippedGroups();
  SkippedGroups(const SkippedGroups&) = delete;
  SkippedGroups& operator=(const SkippedGroups&) = delete;
};

}  // namespace warpscope
