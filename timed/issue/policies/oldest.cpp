// Oldest first, without greed: a warp that is older than the one that issued last takes over when it becomes
// ready.
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

class OldestFirst {
 public:
  explicit OldestFirst(const PolicyValues& /*values*/) {}
  WarpPlace pick(const IssueView& view) { return oldest_of(view.ready, view.age); }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace /*place*/) {}
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(oldest, OldestFirst)
}  // namespace warpscope::timed
