#pragma once
// Changes which work-groups of a kernel PoCL runs, and in which order.
#include <optional>

#include "traces/base/random.h"
#include "traces/program/group_selection.h"

namespace warpscope {

struct GroupCallsSetup {
  LaunchId launch;
  Dim3 groups;                              ///< of the launch, per dimension
  std::optional<GroupSelection> selection;  ///< those that run; absent: all
  GroupOrder order;                         ///< holds if PoCL has one thread
};

/// PoCL runs all work-groups of a launch, with one thread in ascending order, and offers no other way. It finds the function that runs one
/// with dlsym(). While an object of this class lives, what libpocl reaches under that name is a function of ours, which calls the
/// kernel's with another work-group or not at all. At most one at a time.
class GroupCalls {
 public:
  /// Throws InputError if this PoCL calls dlsym() otherwise.
  explicit GroupCalls(const GroupCallsSetup& setup);
  ~GroupCalls();
  GroupCalls(const GroupCalls&) = delete;
  GroupCalls& operator=(const GroupCalls&) = delete;
};

}  // namespace warpscope
